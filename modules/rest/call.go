package rest

import (
	"bytes"
	"encoding/json"
	"net"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"mcp-aggregator/modules/wire"
)

// callBody is a call of a tool.
type callBody struct {
	Name      string    `json:"name" minLength:"1" doc:"The tool: server.tool or, with server_id, what its server calls it." example:"github.create_issue"`
	Arguments rawObject `json:"arguments,omitempty" doc:"An object, which is passed to the server unchanged: numbers, order of members, escapes."`
	ServerID  string    `json:"server_id,omitempty" minLength:"1" doc:"The id of the server to call." example:"4f8d1c86-3f0e-4a3c-9c55-8a3a4e1b6f10"`
}

// rawObject is a JSON object that is not decoded.
type rawObject json.RawMessage

// Schema implements [huma.SchemaProvider].
func (rawObject) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: "object", AdditionalProperties: true}
}

// metadataBody is the service's metadata of a call.
type metadataBody struct {
	RoutedTo    string  `json:"routed_to" doc:"The name of the server." example:"github"`
	RoutingMS   float64 `json:"routing_time_ms" doc:"Milliseconds until the call was on its way to the server." example:"0.12"`
	ExecutionMS float64 `json:"execution_time_ms" doc:"Milliseconds from there until its answer." example:"184.5"`
}

func (a *API) callEndpoints() []endpoint {
	return []endpoint{
		{
			method: http.MethodPost, path: toolsPath + "/call", id: "callTool", summary: "Call a tool",
			description: "The arguments and the result pass unchanged, as raw JSON: number literals, order and repetition of members, " +
				"escapes, unknown members. To the members of the result, in their order, one is added as the " +
				"last: metadata. If the result has a member of that name, that stays, and what the service has to say is " +
				"called aggregator_metadata; if it has that, too, aggregator_aggregator_metadata, and so on. Nothing else is " +
				"added: isError is there if the server sent it, and is false otherwise (MCP 2025-11-25, server/tools). " +
				"A call to a server that is CONNECTING waits for it up to 10 s.",
			body: callBody{}, bodyExample: callExample(), status: http.StatusOK, result: resultSchema(a.schemas),
			codes:  append([]code{unknownTool, unknownServer, ambiguousTool, serverError, outcomeUnknown, invalidResult, unavailable, stopping, timedOut}, bodyCodes...),
			handle: a.callTool,
		},
	}
}

func (a *API) callTool(r *request) (reply, error) {
	body, err := readBody(r.Request, maxCallBytes)
	if err != nil {
		return reply{}, err
	}
	call, err := parseCall(r.schemas, r.schema, body)
	if err != nil {
		return reply{}, err
	}
	call.Host = hostOf(r.Request)
	answer, err := a.deps.Tools.Call(r.Context(), call)
	if err != nil {
		return reply{}, err
	}
	if result := bytes.TrimSpace(answer.Result); len(result) == 0 || result[0] != '{' {
		return reply{}, resultProblem(answer)
	}
	return reply{status: http.StatusOK, body: withMetadata(answer)}, nil
}

// hostOf returns the address of the client, without the port.
func hostOf(r *http.Request) string {
	host, _, _ := net.SplitHostPort(r.RemoteAddr)
	return host
}

// parseCall parses a valid JSON text without decoding the arguments.
func parseCall(schemas huma.Registry, schema *huma.Schema, body []byte) (Call, error) {
	s := checkShape(schemas, body, schema)
	text := func(pointer string) string {
		raw := s.places[pointer].Of(body)
		text, isText := wire.Unquote(raw)
		if isText && text == "" {
			s.addFault(pointer, "is empty")
		}
		return text
	}
	call := Call{Name: text("/name"), ServerID: text("/server_id"), Arguments: s.places["/arguments"].Of(body)}
	if faults := s.mergeProblems(nil); len(faults) > 0 {
		return Call{}, newInvalid(faults).asError()
	}
	return call, nil
}

// withMetadata appends the metadata to the members of the result. It never replaces a
// member of the result.
func withMetadata(answer Answer) []byte {
	name := "metadata"
	for wire.Member(answer.Result, name).Present() {
		name = "aggregator_" + name
	}
	return appendMember(answer.Result, name, marshal(metadataBody{
		RoutedTo: answer.RoutedTo, RoutingMS: milliseconds(answer.Routing), ExecutionMS: milliseconds(answer.Execution),
	}))
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// resultProblem returns the error for a result that is not an object.
func resultProblem(answer Answer) error {
	p := newProblem(invalidResult, "server \""+answer.RoutedTo+"\" answered with a result that is not an object")
	p.Server, p.Result = answer.RoutedTo, answer.Result
	if len(p.Result) == 0 {
		p.Result = wire.NullID
	}
	return p.asError()
}

func callExample() any {
	return map[string]any{"name": "github.create_issue", "arguments": map[string]any{"title": "It does not start"}}
}

// resultSchema returns the schema of a call's response: an MCP result, any other members,
// and the metadata.
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

// Call is a call of a tool.
type Call struct {
	Name      string // server.tool, or the original name
	ServerID  string // may be empty; if set, Name may be the original name
	Arguments []byte // a raw JSON object, as it was sent; nil if there is none
	Host      string // where the client is
}

// Answer is the outcome of a call.
type Answer struct {
	Result    []byte        // the raw result, a JSON object, as the server wrote it
	RoutedTo  string        // the name of the server
	Routing   time.Duration // until the call was sent to the server
	Execution time.Duration // from there until its answer
}
