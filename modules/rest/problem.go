package rest

import (
	"encoding/json"
	"net/http"
	"strconv"
)

// problemBody is an error as it is sent (RFC 9457).
type problemBody struct {
	Title  string `json:"title" doc:"The name of the status." example:"Not Found"`
	Status int    `json:"status" doc:"The status of the response." example:"404"`
	Code   string `json:"code" doc:"What is wrong, for programs. A code never changes its meaning." example:"unknown_server"`
	Detail string `json:"detail" doc:"What is wrong, for people." example:"no server with that id"`

	Errors       []faultBody     `json:"errors,omitempty" doc:"Everything that is wrong with the request, in the order of its body."`
	Candidates   []string        `json:"candidates,omitempty" doc:"The tools that were perhaps meant, as server.tool."`
	Server       string          `json:"server,omitempty" doc:"The name of the server concerned." example:"github"`
	ServerStatus string          `json:"server_status,omitempty" enum:"CONNECTING,CONNECTED,DEGRADED,DISCONNECTED,ERROR" doc:"How the service stands with that server."`
	Error        json.RawMessage `json:"error,omitempty" doc:"The JSON-RPC error that the server answered with, verbatim."`
	Result       json.RawMessage `json:"result,omitempty" doc:"The result that the server answered with although it is none, verbatim."`

	retryAfter int // seconds; zero: nothing is said
}

// faultBody is one thing that is wrong with a request.
type faultBody struct {
	Pointer   *string `json:"pointer,omitempty" doc:"Where in the body, as a JSON pointer (RFC 6901)." example:"/connection_config/command"`
	Parameter string  `json:"parameter,omitempty" doc:"Which parameter of the query, if it is not the body." example:"status"`
	Detail    string  `json:"detail" doc:"What is wrong, and how to fix it." example:"is missing: STDIO needs the program to run"`
}

// newProblem returns a problem of the code.
func newProblem(c code, detail string) *problemBody {
	status := c.status()
	return &problemBody{Title: http.StatusText(status), Status: status, Code: string(c), Detail: detail}
}

// problemError is Error under a name that the member leaves free.
type problemError struct{ *problemBody }

// Error is what is said to people.
func (p problemError) Error() string { return p.Detail }

// asError returns the problem as an error.
func (p *problemBody) asError() error { return problemError{p} }

// json returns the body, with what is verbatim in it left as it is.
func (p *problemBody) json() []byte {
	bare := *p
	bare.Error, bare.Result = nil, nil
	body := marshal(bare)
	if p.Error != nil {
		body = appendMember(body, "error", p.Error)
	}
	if p.Result != nil {
		body = appendMember(body, "result", p.Result)
	}
	return body
}

// write sends the problem.
func (p *problemBody) write(w http.ResponseWriter) {
	header := w.Header()
	if p.retryAfter > 0 {
		header.Set("Retry-After", strconv.Itoa(p.retryAfter))
	}
	if p.Status == http.StatusUnauthorized {
		header.Set("WWW-Authenticate", `Bearer realm="mcp-aggregator"`)
	}
	reply{status: p.Status, kind: problemJSON, body: p.json()}.write(w)
}
