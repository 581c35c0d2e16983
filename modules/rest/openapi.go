package rest

import (
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// about is what the document begins with.
const about = `Registers MCP servers over stdio, SSE and streamable HTTP, and lists and calls their tools.

Bodies are JSON. Errors are problems (RFC 9457): their code is for programs and never changes its meaning, their ` +
	`detail is for people. Unknown members of a body and unknown parameters of a query are refused.

Secrets are never shown: [redacted] stands for them. Best are references, as in ${NAME}, which are expanded from the ` +
	`environment of the service whenever a server is connected, so that no secret is stored.`

// newDocument returns a document without operations.
func newDocument(version string) *huma.OpenAPI {
	return &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Info: &huma.Info{
			Title: "MCP aggregator", Version: version, Description: about,
			License: &huma.License{Name: "MIT", Identifier: "MIT"},
		},
		Servers: []*huma.Server{{URL: "/", Description: "This service."}},
		Tags: []*huma.Tag{
			{Name: serversTag, Description: "The servers that the service is in front of."},
			{Name: toolsTag, Description: "The tools of all servers."},
			{Name: healthTag, Description: "The service itself."},
		},
		Components: &huma.Components{
			Schemas: huma.NewMapRegistry("#/components/schemas/", schemaName),
			SecuritySchemes: map[string]*huma.SecurityScheme{
				"token": {Type: "http", Scheme: "bearer", Description: "The token that the service was started with, if it was."},
			},
		},
	}
}

// schemaName calls the schema of serverBody Server.
func schemaName(t reflect.Type, hint string) string {
	return strings.TrimSuffix(huma.DefaultSchemaNamer(t, hint), "Body")
}

func schemaOf(schemas huma.Registry, value any) *huma.Schema {
	if schema, ready := value.(*huma.Schema); ready {
		return schema
	}
	return schemas.Schema(reflect.TypeOf(value), true, "")
}

// operation returns what the document says of an endpoint.
func (e endpoint) operation(schemas huma.Registry) *huma.Operation {
	op := &huma.Operation{
		Method: e.method, Path: e.path, OperationID: e.id, Tags: []string{e.tag},
		Summary: e.summary, Description: e.text, Parameters: e.params,
		Responses: map[string]*huma.Response{strconv.Itoa(e.status): e.response(schemas)},
	}
	if e.takes != nil {
		op.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
			plainJSON: {Schema: schemaOf(schemas, e.takes), Example: e.takesExample},
		}}
	}
	op.Security = []map[string][]string{{"token": {}}}
	if e.public {
		op.Security = []map[string][]string{{}} // none will do
	}
	for _, c := range e.failures() {
		fail(op.Responses, schemas, c)
	}
	return op
}

func (e endpoint) response(schemas huma.Registry) *huma.Response {
	response := &huma.Response{Description: http.StatusText(e.status)}
	if e.gives != nil {
		kind := e.kind
		if kind == "" {
			kind = plainJSON
		}
		response.Content = map[string]*huma.MediaType{kind: {Schema: schemaOf(schemas, e.gives)}}
	}
	if e.status == http.StatusCreated {
		response.Headers = map[string]*huma.Param{"Location": {
			Description: "The path of what was made.", Schema: &huma.Schema{Type: "string"},
		}}
	}
	return response
}

// failures are the codes of an endpoint: its own and everybody's.
func (e endpoint) failures() []code {
	if e.public {
		return append([]code{forbiddenHost, invalidRequest, internalError}, e.fails...)
	}
	return append([]code{unauthorized, forbiddenHost, crossOrigin, invalidRequest, internalError, notReady}, e.fails...)
}

// fail adds a code to the responses.
func fail(responses map[string]*huma.Response, schemas huma.Registry, c code) {
	status, m := strconv.Itoa(c.status()), c.meaning()
	response := responses[status]
	if response == nil {
		response = &huma.Response{Content: map[string]*huma.MediaType{problemJSON: {
			Schema: schemaOf(schemas, problemBody{}), Examples: map[string]*huma.Example{},
		}}}
		responses[status] = response
	}
	response.Description = strings.TrimPrefix(response.Description+" "+string(c)+": "+m.text, " ")
	response.Content[problemJSON].Examples[string(c)] = &huma.Example{Summary: m.text, Value: problemExample(m)}
	switch c {
	case unauthorized:
		response.Headers = map[string]*huma.Param{"WWW-Authenticate": {
			Description: "Which token is wanted (RFC 6750).", Schema: &huma.Schema{Type: "string"},
		}}
	case unavailable, noRoom:
		response.Headers = map[string]*huma.Param{"Retry-After": {
			Description: "Seconds to wait, with server_unavailable (if the server is CONNECTING) and busy.", Schema: &huma.Schema{Type: "integer"},
		}}
	default: // has no headers of its own
	}
}
