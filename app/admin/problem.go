package admin

import (
	"encoding/json"
	"fmt"
	"strings"
)

// problem is an error response of the service (RFC 9457).
type problem struct {
	Code   string          `json:"code"`
	Detail string          `json:"detail"`
	Errors []fieldError    `json:"errors"`
	Server string          `json:"server"`
	Error  json.RawMessage `json:"error"`
}

// fieldError is one invalid member or parameter of a request.
type fieldError struct {
	Pointer   string `json:"pointer"`
	Parameter string `json:"parameter"`
	Detail    string `json:"detail"`
}

func (c *Client) problemOf(answer []byte) error {
	var p problem
	if err := json.Unmarshal(answer, &p); err != nil || p.Code == "" {
		p = problem{Code: "unknown", Detail: "the service answered with an error that is no valid JSON"}
	}
	text := p.Detail
	if len(p.Errors) > 0 {
		text = p.fieldErrors()
	}
	if p.Error != nil {
		text += ": " + string(p.Error)
	}
	if fix := c.fix(p); fix != "" {
		text += "; " + fix
	}
	return fmt.Errorf("%s (%s)", text, p.Code)
}

// fieldErrors returns all invalid members, each with its name.
func (p problem) fieldErrors() string {
	var all []string
	for _, f := range p.Errors {
		where := f.Parameter
		if where == "" {
			where = strings.ReplaceAll(strings.TrimPrefix(strings.TrimPrefix(f.Pointer, "/"), "connection_config/"), "/", ".")
		}
		all = append(all, strings.TrimSpace(where+" "+f.Detail))
	}
	return strings.Join(all, "; ")
}

// fix returns what to do about a problem, in terms of the command line; "" if nothing
// is known.
func (c *Client) fix(p problem) string {
	switch p.Code {
	case "unauthorized":
		if c.options.Token == "" {
			return "give it with MCP_AGGREGATOR_TOKEN or --token"
		}
		return "the token that was given is not the service's: see MCP_AGGREGATOR_TOKEN and --token"
	case "unknown_server":
		return "see: mcp-aggregator servers list"
	case "unknown_tool":
		return "see: mcp-aggregator tools list"
	case "unknown_profile":
		return "see: mcp-aggregator profiles list"
	case "server_unavailable":
		return "see: mcp-aggregator servers list, and: mcp-aggregator servers connect " + p.Server
	default:
		return ""
	}
}
