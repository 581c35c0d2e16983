package rest

import (
	"encoding/json"
	"net/http"
	"strconv"

	"mcp-aggregator/modules/profiles"
	"mcp-aggregator/modules/servers"
)

// problemBody is an error as it is sent (RFC 9457).
type problemBody struct {
	Title  string `json:"title" doc:"The name of the status." example:"Not Found"`
	Status int    `json:"status" doc:"The status of the response." example:"404"`
	Code   string `json:"code" doc:"What is wrong, for programs. A code never changes its meaning." example:"unknown_server"`
	Detail string `json:"detail" doc:"What is wrong, for users." example:"no server with that id"`

	Errors       []faultBody     `json:"errors,omitempty" doc:"Everything that is wrong with the request, in the order of its body."`
	Candidates   []string        `json:"candidates,omitempty" doc:"The tools that may have been meant, as server.tool."`
	Server       string          `json:"server,omitempty" doc:"The name of the server concerned." example:"github"`
	ServerStatus string          `json:"server_status,omitempty" enum:"CONNECTING,CONNECTED,DEGRADED,DISCONNECTED,ERROR" doc:"The status of that server."`
	Error        json.RawMessage `json:"error,omitempty" doc:"The JSON-RPC error that the server answered with, verbatim."`
	Result       json.RawMessage `json:"result,omitempty" doc:"The invalid result of the server, verbatim."`

	retryAfter int // in seconds; zero for none
}

// faultBody is one error in a request.
type faultBody struct {
	Pointer   *string `json:"pointer,omitempty" doc:"Where in the body, as a JSON pointer (RFC 6901)." example:"/connection_config/command"`
	Parameter string  `json:"parameter,omitempty" doc:"Which parameter of the query, if it is not the body." example:"status"`
	Detail    string  `json:"detail" doc:"What is wrong, and how to fix it." example:"is missing: STDIO needs the program to run"`
}

// newProblem returns a problem with that code.
func newProblem(c code, detail string) *problemBody {
	status := c.status()
	return &problemBody{Title: http.StatusText(status), Status: status, Code: string(c), Detail: detail}
}

// problemError is the error type of a problemBody, whose own Error is a member.
type problemError struct{ *problemBody }

// Error returns the detail.
func (p problemError) Error() string { return p.Detail }

// asError returns the problem as an error.
func (p *problemBody) asError() error { return problemError{p} }

// json returns the JSON of the problem. Its raw members are copied verbatim.
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
	reply{status: p.Status, contentType: contentTypeProblem, body: p.json()}.write(w)
}

// code identifies a problem for programs. It never changes its meaning.
type code string

const (
	invalidJSON      code = "invalid_json"
	unauthorized     code = "unauthorized"
	forbiddenHost    code = "forbidden_host"
	crossOrigin      code = "cross_origin"
	notFound         code = "not_found"
	unknownServer    code = "unknown_server"
	unknownTool      code = "unknown_tool"
	unknownProfile   code = "unknown_profile"
	methodNotAllowed code = "method_not_allowed"
	nameTaken        code = "name_taken"
	tooManyProfiles  code = "too_many_profiles"
	ambiguousTool    code = "ambiguous_tool"
	bodyTooLarge     code = "body_too_large"
	bodyLate         code = "request_timeout"
	noRoom           code = "busy"
	wrongMediaType   code = "unsupported_media_type"
	invalidRequest   code = "invalid_request"
	internalError    code = "internal_error"
	serverError      code = "server_error"
	outcomeUnknown   code = "outcome_unknown"
	invalidResult    code = "invalid_result"
	unavailable      code = "server_unavailable"
	notReady         code = "not_ready"
	stopping         code = "stopping"
	timedOut         code = "timed_out"
)

// codeInfo describes a code.
type codeInfo struct {
	code   code
	status int
	text   string // the description in the document
	detail string // an example of a detail
}

var codeInfos = []codeInfo{
	{invalidJSON, http.StatusBadRequest, "The body is not JSON.", "the body is not JSON at byte 7: unexpected end"},
	{unauthorized, http.StatusUnauthorized, "The token is missing or wrong.", detailNoToken},
	{forbiddenHost, http.StatusForbidden, "The service listens on this machine only, and the Host header names another.", detailForbiddenHost},
	{crossOrigin, http.StatusForbidden, "A browser sent the request for a page of another site.", detailCrossOrigin},
	{notFound, http.StatusNotFound, "There is no such path.", detailNotFound},
	{unknownServer, http.StatusNotFound, "No server has that id.", "no server with that id"},
	{unknownTool, http.StatusNotFound, "No server has that tool.", `unknown tool "github.create_isue"; nearest: github.create_issue`},
	{unknownProfile, http.StatusNotFound, "No profile has that name.", profiles.ErrUnknown.Error()},
	{methodNotAllowed, http.StatusMethodNotAllowed, "The path does not take that method; Allow lists those it takes.", detailMethodNotAllowed},
	{nameTaken, http.StatusConflict, "Another server, or another profile, has that name.", servers.ErrNameTaken.Error()},
	{tooManyProfiles, http.StatusConflict, "There are as many profiles as there may be.", profiles.ErrTooMany.Error()},
	{
		ambiguousTool, http.StatusConflict, "Several servers have a tool of that name: see candidates, or send server_id.",
		`"search" is a tool of several servers: call one of github.search, gitlab.search`,
	},
	{bodyTooLarge, http.StatusRequestEntityTooLarge, "The body is too large.", "the body is larger than 1 MiB"},
	{bodyLate, http.StatusRequestTimeout, "The body did not arrive in time.", detailBodyLate},
	{noRoom, http.StatusServiceUnavailable, "The bodies of other requests leave no room for this one: see Retry-After.", (&servers.BusyError{}).Error()},
	{wrongMediaType, http.StatusUnsupportedMediaType, "The body is not sent as application/json.", detailMediaType},
	{invalidRequest, http.StatusUnprocessableEntity, "Something is wrong with the request: see errors.", detailInvalid},
	{internalError, http.StatusInternalServerError, "The service failed; its log says why.", detailInternal},
	{
		serverError, http.StatusBadGateway, "The server answered with a JSON-RPC error: see error, which is verbatim.",
		`server "github" answered with an error`,
	},
	{
		outcomeUnknown, http.StatusBadGateway, "The server was lost, or the service stopped, during the call, which may have been executed.",
		`server "github": the connection was lost: whether the call was executed is unknown`,
	},
	{
		invalidResult, http.StatusBadGateway, "The server answered with a result that is not an object: see result, which is verbatim.",
		`server "github" answered with a result that is not an object`,
	},
	{
		unavailable, http.StatusServiceUnavailable, "The server is not connected, or did not take the call, which was not executed: see server and server_status.",
		`server "github" is not connected: its status is DISCONNECTED`,
	},
	{notReady, http.StatusServiceUnavailable, "The service cannot do its work; its log says why.", detailNotReady},
	{stopping, http.StatusServiceUnavailable, "The service is stopping. Nothing was executed.", servers.ErrStopping.Error()},
	{timedOut, http.StatusGatewayTimeout, "The server did not answer in time. It may have executed the call.", detailTimedOut},
}

// Details that are always the same.
const (
	detailNoToken          = "send the token of the service, as in Authorization: Bearer TOKEN"
	detailForbiddenHost    = "the service listens on this machine only: use localhost or a loopback address in the URL"
	detailCrossOrigin      = "requests from pages of other sites are refused"
	detailNotFound         = "there is no such path: see /api/v1/docs"
	detailMethodNotAllowed = "the path does not take that method: see the Allow header"
	detailBodyLate         = "the body did not arrive in time"
	detailMediaType        = "send the body as Content-Type: application/json"
	detailInvalid          = "something is wrong with the request: see errors"
	detailInternal         = "the service failed: see its log"
	detailNotReady         = "the service is not ready: see its log"
	detailCanceled         = "the request was canceled: whether it was executed is unknown"
	detailDatabase         = "the database fails: see the log of the service"
	detailTimedOut         = "the server did not answer in time: whether the call was executed is unknown"
)

// info returns the description of the code.
func (c code) info() codeInfo {
	for _, m := range codeInfos {
		if m.code == c {
			return m
		}
	}
	return codeInfo{code: c, status: http.StatusInternalServerError}
}

func (c code) status() int { return c.info().status }
