package rest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"strconv"
	"strings"

	"mcp-aggregator/modules/servers"
	"mcp-aggregator/modules/wire"
)

// The maximum sizes of bodies, in bytes.
const (
	maxRecordBytes = 1 << 20
	maxCallBytes   = 64 << 20
)

// readBody returns the body of a request, which must be JSON in UTF-8, of any depth.
func readBody(r *http.Request, most int64) ([]byte, error) {
	if !isJSON(r.Header) {
		return nil, newProblem(wrongMediaType, detailMediaType).asError()
	}
	body, err := readAll(r, most)
	if err != nil {
		return nil, err
	}
	var s wire.Scanner
	if err := s.Scan(body, &wire.Message{}); err != nil {
		return nil, newProblem(invalidJSON, describeJSONError(err)).asError()
	}
	return bytes.Trim(body, " \t\r\n"), nil
}

// isJSON reports whether a body is sent as JSON without a content encoding.
func isJSON(header http.Header) bool {
	kind, parameters, err := mime.ParseMediaType(header.Get("Content-Type"))
	charset, given := parameters["charset"]
	return err == nil && kind == contentTypeJSON && header.Get("Content-Encoding") == "" &&
		(!given || strings.EqualFold(charset, "utf-8"))
}

// readAll reads a body up to its maximum size.
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
		return nil, newProblem(bodyLate, detailBodyLate).asError()
	case err != nil:
		return nil, newProblem(invalidJSON, "the body ended early").asError()
	case int64(len(body)) > most:
		return nil, tooLarge
	}
	return body, nil
}

// describeJSONError says where a body is not JSON.
func describeJSONError(err error) string {
	if e, ok := errors.AsType[*wire.SyntaxError](err); ok {
		return fmt.Sprintf("the body is not JSON at byte %d: %s", e.Offset, e.Reason)
	}
	return "the body is not valid UTF-8"
}

const (
	contentTypeJSON    = "application/json"
	contentTypeProblem = "application/problem+json"
)

// reply is a complete response, made before any of it is sent.
type reply struct {
	status      int
	contentType string // contentTypeJSON if empty
	location    string // the path of a created resource; may be empty
	body        []byte // nil if there is none, or if it is in parts
	parts       [][]byte
}

func (r reply) write(w http.ResponseWriter) {
	header := w.Header()
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	if r.location != "" {
		header.Set("Location", r.location)
	}
	if r.body != nil {
		r.parts = [][]byte{r.body}
	}
	if r.parts != nil {
		if r.contentType == "" {
			r.contentType = contentTypeJSON
		}
		header.Set("Content-Type", r.contentType)
		header.Set("Content-Length", strconv.Itoa(totalSize(r.parts)))
	}
	w.WriteHeader(r.status)
	// Errors mean that the client has disconnected.
	for _, part := range r.parts {
		_, _ = w.Write(part)
	}
}

func totalSize(parts [][]byte) (size int) {
	for _, part := range parts {
		size += len(part)
	}
	return size
}

// okReply returns a 200 response with body as JSON.
func okReply(body any) reply { return reply{status: http.StatusOK, body: marshal(body)} }

// marshal returns the JSON of a value of a type of this package.
func marshal(value any) []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(fmt.Sprintf("%T: %v", value, err))
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// appendMember appends a member with a raw value to a JSON object.
func appendMember(object []byte, name string, raw []byte) []byte {
	end := bytes.LastIndexByte(object, '}')
	comma := false
	for range wire.Members(object) {
		comma = true
		break
	}
	out := append(make([]byte, 0, len(object)+len(name)+len(raw)+len(`,"":`)), object[:end]...)
	if comma {
		out = append(out, ',')
	}
	out = append(wire.AppendQuoted(out, name), ':')
	return append(append(out, raw...), object[end:]...)
}
