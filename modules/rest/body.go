package rest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"

	"mcp-aggregator/modules/servers"
	"mcp-aggregator/modules/wire"
)

// The most that a body may hold, in bytes.
const (
	maxRecord = 1 << 20
	maxCall   = 64 << 20
)

// readBody returns the body of a request, which is JSON in UTF-8, of any depth.
func readBody(r *http.Request, most int64) ([]byte, error) {
	if !isJSON(r.Header) {
		return nil, newProblem(wrongMediaType, noJSON).asError()
	}
	body, err := readAll(r, most)
	if err != nil {
		return nil, err
	}
	var s wire.Scanner
	if err := s.Scan(body, &wire.Message{}); err != nil {
		return nil, newProblem(invalidJSON, whyNoJSON(err)).asError()
	}
	return bytes.Trim(body, " \t\r\n"), nil
}

// isJSON reports whether a body is sent as JSON, and as nothing on top of it.
func isJSON(header http.Header) bool {
	kind, parameters, err := mime.ParseMediaType(header.Get("Content-Type"))
	charset, given := parameters["charset"]
	return err == nil && kind == plainJSON && header.Get("Content-Encoding") == "" &&
		(!given || strings.EqualFold(charset, "utf-8"))
}

// readAll reads no more than it has to of a body that is too large.
func readAll(r *http.Request, most int64) ([]byte, error) {
	tooLarge := newProblem(bodyTooLarge, fmt.Sprintf("the body is larger than %d MiB", most>>20)).asError()
	if r.ContentLength > most {
		return nil, tooLarge
	}
	body, err := wire.ReadAll(io.LimitReader(r.Body, most+1), r.ContentLength)
	switch busy, isBusy := errors.AsType[*servers.BusyError](err); {
	case isBusy:
		return nil, busy
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, newProblem(bodyLate, tooSlow).asError()
	case err != nil:
		return nil, newProblem(invalidJSON, "the body ended early").asError()
	case int64(len(body)) > most:
		return nil, tooLarge
	}
	return body, nil
}

// whyNoJSON says where a body is no JSON.
func whyNoJSON(err error) string {
	if e, ok := errors.AsType[*wire.SyntaxError](err); ok {
		return fmt.Sprintf("the body is not JSON at byte %d: %s", e.Offset, e.Reason)
	}
	return "the body is not valid UTF-8"
}
