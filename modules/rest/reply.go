package rest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"mcp-aggregator/modules/wire"
)

const (
	plainJSON   = "application/json"
	problemJSON = "application/problem+json"
)

// reply is a response, made before anything of it is sent.
type reply struct {
	status   int
	kind     string // its Content-Type; plainJSON if empty
	location string // of what was made; may be empty
	body     []byte // nil: there is none, or it is in parts
	parts    [][]byte
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
		if r.kind == "" {
			r.kind = plainJSON
		}
		header.Set("Content-Type", r.kind)
		header.Set("Content-Length", strconv.Itoa(sizeOf(r.parts)))
	}
	w.WriteHeader(r.status)
	// Whoever does not read the response is not there to be told.
	for _, part := range r.parts {
		_, _ = w.Write(part)
	}
}

func sizeOf(parts [][]byte) (size int) {
	for _, part := range parts {
		size += len(part)
	}
	return size
}

// ok returns the reply of a value.
func ok(body any) reply { return reply{status: http.StatusOK, body: marshal(body)} }

// marshal returns a value of the types of this package as JSON.
func marshal(value any) []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(fmt.Sprintf("%T: %v", value, err))
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// appendMember adds a member to a JSON object, as the last one and as it is.
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
