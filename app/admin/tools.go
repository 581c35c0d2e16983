package admin

import (
	"context"
	"net/http"
	"net/url"

	"mcp-aggregator/modules/wire"
)

// serverTools is the part of the tools of one server that is printed.
type serverTools struct {
	Tools []struct {
		Name        string `json:"name"`
		Description string `json:"description"`
	} `json:"tools"`
}

// ListTools prints the tools that can be called, or those of one server: as a table, or
// as the JSON of the service.
func (c *Client) ListTools(ctx context.Context, ofServer string, asJSON bool) error {
	path := "/tools"
	if ofServer != "" {
		s, err := c.find(ctx, ofServer)
		if err != nil {
			return err
		}
		path += "?" + url.Values{"server": {s.ID}}.Encode()
	}
	var list struct {
		Servers *[]serverTools `json:"servers"`
	}
	raw, err := c.get(ctx, path, &list)
	switch {
	case err != nil:
		return err
	case list.Servers == nil:
		return c.notTheService(http.StatusOK)
	case asJSON:
		return c.print(raw)
	}
	var rows [][]string
	for _, g := range *list.Servers {
		for _, tool := range g.Tools {
			rows = append(rows, []string{Escape(tool.Name), firstLine(tool.Description, maxCell)})
		}
	}
	return c.printTable([]string{"NAME", "DESCRIPTION"}, rows)
}

// Call is a call of a tool.
type Call struct {
	Tool      string // SERVER.TOOL or, with Server, the server's own name of the tool
	Server    string // name or id; may be empty
	Arguments []byte // a raw JSON object; nil for none
}

// CallTool calls a tool and prints its result as the server wrote it. It reports false
// if the result is an error of the tool.
func (c *Client) CallTool(ctx context.Context, call Call) (ok bool, err error) {
	body := wire.AppendQuoted([]byte(`{"name":`), call.Tool)
	if call.Arguments != nil {
		body = append(append(body, `,"arguments":`...), call.Arguments...)
	}
	if call.Server != "" {
		s, err := c.find(ctx, call.Server)
		if err != nil {
			return false, err
		}
		body = append(append(body, `,"server_id":`...), wire.AppendQuoted(nil, s.ID)...)
	}
	answer, err := c.do(ctx, http.MethodPost, "/tools/call", append(body, '}'))
	if err != nil {
		return false, err
	}
	result := withoutMetadata(answer)
	isError := string(wire.Member(result, "isError").Of(result)) == "true"
	return !isError, c.print(result)
}

// withoutMetadata returns the server's result without the last member, which the service
// adds about the call.
func withoutMetadata(answer []byte) []byte {
	var last, before wire.Span
	for _, value := range wire.Members(answer) {
		before, last = last, value
	}
	if !before.Present() {
		return []byte("{}")
	}
	return wire.Splice(answer, wire.Span{Start: before.End, End: last.End}, nil)
}
