package main

import (
	"bytes"
	"fmt"
	"strconv"

	"mcp-aggregator/bench/payload"
)

// accept is what clients of streamable HTTP have to accept.
const accept = "application/json, text/event-stream"

// firstID has as many digits as all that follow: one is written over another.
const firstID = 1_000_000_000

// request is a call that is ready to be written.
type request struct {
	text []byte
	id   int // where it stands; 0 if there is none
}

// number gives the request an id.
func (r *request) number(n int) []byte {
	if r.id > 0 {
		strconv.AppendInt(r.text[:r.id], int64(firstID+n), 10)
	}
	return r.text
}

func (r *request) clone() *request { return &request{bytes.Clone(r.text), r.id} }

// overMCP makes a request to /mcp with a tools/call or another method.
func overMCP(address, session, method, params string) *request {
	head := `{"jsonrpc":"2.0","id":`
	body := fmt.Sprintf(`%s%d,"method":%q,"params":%s}`, head, firstID, method, params)
	headers := "Accept: " + accept + "\r\nMcp-Protocol-Version: 2025-11-25\r\n"
	if session != "" {
		headers += "Mcp-Session-Id: " + session + "\r\n"
	}
	text := post(address, "/mcp", headers, body)
	return &request{text, len(text) - len(body) + len(head)}
}

// overREST makes a call of a tool over the REST API.
func overREST(address, params string) *request {
	return &request{text: post(address, "/api/v1/tools/call", "", params)}
}

func post(address, path, headers, body string) []byte {
	return fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\n%sContent-Length: %d\r\n\r\n%s",
		path, address, headers, len(body), body)
}

// params are those of a call of a tool with an argument of 100 bytes. REST takes the
// same.
func params(tool string) string {
	return fmt.Sprintf(`{"name":%q,"arguments":{"p":"%s"}}`, tool, payload.Plain(size))
}

// size is that of the arguments and the results, in bytes.
const size = 100

// sound reports whether a body holds the result of a call.
func sound(body []byte) bool { return bytes.Contains(body, result) }

var result = []byte(`"content":[{"type":"text","text":"` + payload.Plain(size) + `"}]`)
