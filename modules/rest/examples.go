package rest

import (
	"encoding/json"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
)

func draftExample() any {
	return map[string]any{
		"name": "github", "description": "Issues and pull requests", "transport_type": "STDIO",
		"connection_config": map[string]any{
			"command": "npx", "args": []string{"-y", "@modelcontextprotocol/server-github"},
			"env": map[string]string{"GITHUB_TOKEN": "${GITHUB_TOKEN}"}, //nolint:gosec // a reference, no secret
		},
	}
}

func callExample() any {
	return map[string]any{"name": "github.create_issue", "arguments": map[string]any{"title": "It does not start"}}
}

// problemExample returns a problem as it is sent.
func problemExample(m meaning) any {
	p := problemBody{Title: http.StatusText(m.status), Status: m.status, Code: string(m.code), Detail: m.detail}
	switch m.code {
	case invalidRequest:
		p.Errors = []faultBody{{Pointer: new("/name"), Detail: "is missing"}}
	case nameTaken:
		p.Errors = nameProblem().Errors
	case ambiguousTool:
		p.Candidates = []string{"github.search", "gitlab.search"}
	case unavailable:
		p.Server, p.ServerStatus = "github", "DISCONNECTED"
	case serverError:
		p.Server, p.Error = "github", json.RawMessage(`{"code":-32602,"message":"no such repository"}`)
	case outcomeUnknown:
		p.Server = "github"
	case invalidResult:
		p.Server, p.Result = "github", json.RawMessage(`null`)
	default: // has no members of its own
	}
	return json.RawMessage(marshal(p))
}

// resultSchema is what a call answers with: what MCP has in a result, anything
// else, and metadata.
func resultSchema(schemas huma.Registry) *huma.Schema {
	schemas.Map()["Result"] = &huma.Schema{
		Type:        "object",
		Description: "The result of the server with all its members, as it wrote them, and metadata.",
		Properties: map[string]*huma.Schema{
			"content": {Description: "What the tool answered with: an array of objects, says MCP."},
			"isError": {Description: "Whether the tool failed; false if it is left out."},
			"structuredContent": {
				Description: "The answer as the tool's outputSchema says.",
			},
			"metadata": {
				Description: "What the service says of the call; anything, if the result has a member of that name.",
				AnyOf:       []*huma.Schema{schemaOf(schemas, metadataBody{}), {Description: "A member of the result."}},
			},
			"aggregator_metadata": {
				Description: "What the service says of the call, if the result has a metadata of its own; anything, if it has this, too.",
				AnyOf:       []*huma.Schema{schemaOf(schemas, metadataBody{}), {Description: "A member of the result."}},
			},
		},
		Required:             []string{"metadata"},
		AdditionalProperties: true,
	}
	return &huma.Schema{Ref: "#/components/schemas/Result"}
}
