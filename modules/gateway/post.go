package gateway

import (
	"errors"
	"fmt"
	"mime"
	"net/http"
	"os"
	"slices"
	"strings"

	"mcp-aggregator/modules/servers"
	"mcp-aggregator/modules/wire"
)

// handlePost handles a POST: a message, a batch, or the initialize of a new session.
func (g *Gateway) handlePost(w http.ResponseWriter, r *http.Request) {
	body, err := g.readBody(w, r)
	if err != nil {
		return
	}
	var m wire.Message
	err = new(wire.Scanner).Scan(body, &m)
	s := g.sessionOf(r)
	switch {
	case !validHeaders(r):
		g.passToSDK(w, r, body) // the SDK returns the error
	case err != nil:
		writeBadRequest(w, wire.NullID, wire.ParseError(err.Error()))
	case s != nil && m.Kind == wire.Batch && s.version == wire.BatchRevision:
		g.handleBatch(w, r, s, body)
	case s != nil:
		g.handleMessage(w, r, s, &m)
	case r.Header.Get(sessionHeader) == "" && m.Kind == wire.Request && m.MethodIs("initialize"):
		g.handleInitialize(w, r, &m)
	case r.Header.Get(sessionHeader) != "":
		sessionNotFound(w)
	default:
		g.handleWithoutSession(w, r, &m)
	}
}

// sessionNotFound answers a request of a session that the endpoint does not have.
func sessionNotFound(w http.ResponseWriter) {
	http.Error(w, "the session is unknown or has ended, or began at another address: begin another one with initialize", http.StatusNotFound)
}

// handleWithoutSession answers a message that belongs to no session. The SDK would create
// a session for it that is not counted and never ends.
func (g *Gateway) handleWithoutSession(w http.ResponseWriter, r *http.Request, m *wire.Message) {
	problem := m.Malformed()
	switch {
	case problem != nil:
		writeBadRequest(w, m.ResponseID(), problem)
	case m.Kind == wire.Request && m.MethodIs("server/discover"):
		g.passToSDK(w, r, m.Line) // the SDK returns the supported revisions
	default:
		writeBadRequest(w, m.ResponseID(), wire.InvalidRequest("a session begins with initialize"))
	}
}

// readBody reads the body and replaces line breaks by blanks: messages to some servers
// are lines.
func (g *Gateway) readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if limit := g.options.MaxMessage; r.ContentLength > limit {
		err := &http.MaxBytesError{Limit: limit}
		writeBodyError(w, err)
		return nil, err
	}
	body, err := wire.ReadAll(http.MaxBytesReader(w, r.Body, g.options.MaxMessage), r.ContentLength)
	if err != nil {
		writeBodyError(w, err)
	}
	return wire.OneLine(body), err
}

// writeBodyError answers a request whose body could not be read.
func writeBodyError(w http.ResponseWriter, err error) {
	if busy, ok := errors.AsType[*servers.BusyError](err); ok {
		w.Header().Set("Retry-After", "5") // seconds
		http.Error(w, busy.Error(), http.StatusServiceUnavailable)
		return
	}
	tooLarge, tooMuch := errors.AsType[*http.MaxBytesError](err)
	switch {
	case tooMuch:
		http.Error(w, fmt.Sprintf("the message is larger than %d MiB", tooLarge.Limit>>20), http.StatusRequestEntityTooLarge)
	case errors.Is(err, os.ErrDeadlineExceeded):
		http.Error(w, "the body did not arrive in time", http.StatusRequestTimeout)
	default:
		http.Error(w, "the body could not be read", http.StatusBadRequest)
	}
}

// validHeaders reports whether the headers are those of a message. The SDK answers
// requests with others.
func validHeaders(r *http.Request) bool {
	return supportsVersion(r) && isJSON(r.Header.Get("Content-Type")) && acceptsBoth(r.Header.Values("Accept"))
}

// supportsVersion reports whether the request names a supported revision or none.
func supportsVersion(r *http.Request) bool {
	version := r.Header.Get(versionHeader)
	return version == "" || slices.Contains(wire.HTTPRevisions(), version)
}

func isJSON(contentType string) bool {
	if contentType == "application/json" {
		return true
	}
	base, _, err := mime.ParseMediaType(contentType)
	return err == nil && base == "application/json"
}

// acceptsBoth reports whether the client accepts both kinds of responses, as it must
// (2025-11-25, basic/transports#sending-messages-to-the-server).
func acceptsBoth(accept []string) bool {
	var json, events bool
	for _, value := range accept {
		for token := range strings.SplitSeq(value, ",") {
			base, _, _ := strings.Cut(token, ";")
			switch strings.ToLower(strings.TrimSpace(base)) {
			case "application/json", "application/*":
				json = true
			case "text/event-stream", "text/*":
				events = true
			case "*/*":
				return true
			}
		}
	}
	return json && events
}

// writeBadRequest answers with an error and status 400.
func writeBadRequest(w http.ResponseWriter, id []byte, err *wire.Error) {
	writeJSON(w, http.StatusBadRequest, errorLine(id, err))
}
