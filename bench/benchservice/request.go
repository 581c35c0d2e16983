package main

import (
	"bytes"
	"fmt"
	"strconv"

	"mcp-aggregator/bench/payload"
)

// accept is the Accept header that streamable HTTP requires.
const accept = "application/json, text/event-stream"

// firstID has as many digits as all following ids, so that ids can be overwritten in
// place.
const firstID = 1_000_000_000

// request is a call, or a search, that is ready to be written.
type request struct {
	text  []byte
	id    int  // where it stands; 0 if there is none
	found bool // it is a search, which finds something
}

// answers reports whether a body answers the request.
func (r *request) answers(body []byte) bool {
	if r.found {
		return bytes.Contains(body, []byte(`"tools":[{"id":`))
	}
	return sound(body)
}

// number sets the id of the request.
func (r *request) number(n int) []byte {
	if r.id > 0 {
		strconv.AppendInt(r.text[:r.id], int64(firstID+n), 10)
	}
	return r.text
}

func (r *request) clone() *request { return &request{bytes.Clone(r.text), r.id, r.found} }

// overMCP returns a request to /mcp with a tools/call or another method.
func overMCP(address, session, method, params string) *request {
	head := `{"jsonrpc":"2.0","id":`
	body := fmt.Sprintf(`%s%d,"method":%q,"params":%s}`, head, firstID, method, params)
	headers := "Accept: " + accept + "\r\nMcp-Protocol-Version: 2025-11-25\r\n"
	if session != "" {
		headers += "Mcp-Session-Id: " + session + "\r\n"
	}
	text := post(address, "/mcp", headers, body)
	return &request{text: text, id: len(text) - len(body) + len(head)}
}

// overREST returns a request that calls a tool over the REST API.
func overREST(address, params string) *request {
	return &request{text: post(address, "/api/v1/tools/call", "", params)}
}

func post(address, path, headers, body string) []byte {
	return fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\n%sContent-Length: %d\r\n\r\n%s",
		path, address, headers, len(body), body)
}

// params returns the params of a tools/call with an argument of 100 bytes. REST accepts
// the same.
func params(tool string) string {
	return fmt.Sprintf(`{"name":%q,"arguments":{"p":"%s"}}`, tool, payload.Plain(size))
}

// size is the size of the arguments and of the results, in bytes.
const size = 100

// sound reports whether a body contains the result of a call.
func sound(body []byte) bool { return bytes.Contains(body, result) }

var result = []byte(`"content":[{"type":"text","text":"` + payload.Plain(size) + `"}]`)
