package rest

import (
	"bytes"
	_ "embed" // for the page
	"encoding/json"
	"html/template"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"mcp-aggregator/modules/servers"
)

//go:embed page.html
var pageHTML string

// pagePolicy forbids the page to load anything: it is self-contained.
const pagePolicy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// registerDocument serves the document as JSON and YAML, and its page. Each is generated
// on first use. They require no token, because they are the same in every installation.
func (a *API) registerDocument(document *huma.OpenAPI) {
	a.serveStatic(prefix+"/openapi.json", "application/openapi+json", func() ([]byte, error) {
		return json.MarshalIndent(document, "", "  ")
	})
	a.serveStatic(prefix+"/openapi.yaml", "application/openapi+yaml", document.YAML)
	a.serveStatic(prefix+"/docs", "text/html; charset=utf-8", func() ([]byte, error) { return renderPage(document) })
}

func (a *API) serveStatic(path, kind string, body func() ([]byte, error)) {
	once := sync.OnceValues(body)
	a.mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
		body, err := once()
		w.Header().Set("Content-Security-Policy", pagePolicy)
		a.respond(w, r, reply{status: http.StatusOK, contentType: kind, body: body}, err)
	})
}

// operationView is an operation on the page.
type operationView struct {
	Method, Path string
	*huma.Operation
}

// renderPage returns the page of a document.
func renderPage(document *huma.OpenAPI) ([]byte, error) {
	page, err := template.New("page").Funcs(template.FuncMap{
		"operations": operationsWithTag, "kind": schemaTypeView, "has": slices.Contains[[]string], "indent": indent,
	}).Parse(pageHTML)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = page.Execute(&out, document)
	return out.Bytes(), err
}

// operationsWithTag returns the operations of a tag, ordered by path.
func operationsWithTag(document *huma.OpenAPI, tag string) (views []operationView) {
	for _, path := range slices.Sorted(maps.Keys(document.Paths)) {
		item := document.Paths[path]
		for _, view := range []operationView{
			{http.MethodGet, path, item.Get},
			{http.MethodPost, path, item.Post},
			{http.MethodPut, path, item.Put},
			{http.MethodPatch, path, item.Patch},
			{http.MethodDelete, path, item.Delete},
		} {
			if view.Operation != nil && slices.Contains(view.Tags, tag) {
				views = append(views, view)
			}
		}
	}
	return views
}

// typeView is a type on the page. Ref names the schema that it links to.
type typeView struct{ Before, Ref, After string }

func schemaTypeView(schema *huma.Schema) typeView {
	switch {
	case schema.Ref != "":
		return typeView{Ref: schema.Ref[strings.LastIndexByte(schema.Ref, '/')+1:]}
	case schema.Items != nil:
		inner := schemaTypeView(schema.Items)
		return typeView{"array of " + inner.Before, inner.Ref, inner.After}
	case schema.Type == "":
		return typeView{Before: "any"}
	case schema.Nullable:
		return typeView{Before: schema.Type + " or null"}
	default:
		return typeView{Before: schema.Type}
	}
}

func indent(value any) (string, error) {
	text, err := json.MarshalIndent(value, "", "  ")
	return string(text), err
}

// documentDescription is the description in the document.
const documentDescription = `Registers MCP servers over stdio, SSE and streamable HTTP, and lists, finds and calls their tools.

Bodies are JSON. Errors are problems (RFC 9457): their code is for programs and never changes its meaning, their ` +
	`detail is for users. Unknown members of a body and unknown parameters of a query are refused.

Secrets are never shown: [redacted] stands for them. Best are references, as in ${NAME}, which are expanded from the ` +
	`environment of the service whenever a server is connected, so that no secret is stored.`

// newDocument returns a document without operations.
func newDocument(version string) *huma.OpenAPI {
	return &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Info: &huma.Info{
			Title: "MCP aggregator", Version: version, Description: documentDescription,
			License: &huma.License{Name: "MIT", Identifier: "MIT"},
		},
		Servers: []*huma.Server{{URL: "/", Description: "This service."}},
		Components: &huma.Components{
			Schemas: huma.NewMapRegistry("#/components/schemas/", schemaName),
			SecuritySchemes: map[string]*huma.SecurityScheme{
				"token": {Type: "http", Scheme: "bearer", Description: "The token that the service was started with, if it was."},
			},
		},
	}
}

// schemaName returns the name of a schema, which is that of its type without Body.
func schemaName(t reflect.Type, hint string) string {
	return strings.TrimSuffix(huma.DefaultSchemaNamer(t, hint), "Body")
}

func schemaOf(schemas huma.Registry, value any) *huma.Schema {
	if schema, ready := value.(*huma.Schema); ready {
		return schema
	}
	return schemas.Schema(reflect.TypeOf(value), true, "")
}

// operation returns the operation of an endpoint in the document.
func (e endpoint) operation(schemas huma.Registry, tag string) *huma.Operation {
	op := &huma.Operation{
		Method: e.method, Path: e.path, OperationID: e.id, Tags: []string{tag},
		Summary: e.summary, Description: e.description, Parameters: e.params,
		Responses: map[string]*huma.Response{strconv.Itoa(e.status): e.documentResponse(schemas)},
	}
	if e.body != nil {
		op.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
			contentTypeJSON: {Schema: schemaOf(schemas, e.body), Example: e.bodyExample},
		}}
	}
	op.Security = []map[string][]string{{"token": {}}}
	if e.public {
		op.Security = []map[string][]string{{}} // none is required
	}
	for _, c := range e.allCodes() {
		addCode(op.Responses, schemas, c)
	}
	return op
}

func (e endpoint) documentResponse(schemas huma.Registry) *huma.Response {
	response := &huma.Response{Description: http.StatusText(e.status)}
	if e.result != nil {
		kind := e.contentType
		if kind == "" {
			kind = contentTypeJSON
		}
		response.Content = map[string]*huma.MediaType{kind: {Schema: schemaOf(schemas, e.result)}}
	}
	if e.status == http.StatusCreated {
		response.Headers = map[string]*huma.Param{"Location": {
			Description: "The path of what was made.", Schema: &huma.Schema{Type: "string"},
		}}
	}
	return response
}

// allCodes returns the codes of an endpoint: its own and those of every endpoint.
func (e endpoint) allCodes() []code {
	if e.public {
		return append([]code{forbiddenHost, invalidRequest, internalError}, e.codes...)
	}
	return append([]code{unauthorized, forbiddenHost, crossOrigin, invalidRequest, internalError, notReady}, e.codes...)
}

// addCode adds a code to the responses in the document.
func addCode(responses map[string]*huma.Response, schemas huma.Registry, c code) {
	status, m := strconv.Itoa(c.status()), c.info()
	response := responses[status]
	if response == nil {
		response = &huma.Response{Content: map[string]*huma.MediaType{contentTypeProblem: {
			Schema: schemaOf(schemas, problemBody{}), Examples: map[string]*huma.Example{},
		}}}
		responses[status] = response
	}
	response.Description = strings.TrimPrefix(response.Description+" "+string(c)+": "+m.text, " ")
	response.Content[contentTypeProblem].Examples[string(c)] = &huma.Example{Summary: m.text, Value: problemExample(m)}
	switch c {
	case unauthorized:
		response.Headers = map[string]*huma.Param{"WWW-Authenticate": {
			Description: "Which token is wanted (RFC 6750).", Schema: &huma.Schema{Type: "string"},
		}}
	case unavailable, noRoom:
		response.Headers = map[string]*huma.Param{"Retry-After": {
			Description: "Seconds to wait, with server_unavailable (if the server is CONNECTING) and busy.", Schema: &huma.Schema{Type: "integer"},
		}}
	default: // no additional headers
	}
}

// problemExample returns an example of a problem.
func problemExample(m codeInfo) any {
	p := problemBody{Title: http.StatusText(m.status), Status: m.status, Code: string(m.code), Detail: m.detail}
	switch m.code {
	case invalidRequest:
		p.Errors = []faultBody{{Pointer: new("/name"), Detail: "is missing"}}
	case nameTaken:
		p.Errors = problemOf(servers.ErrNameTaken).Errors
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
	default: // no additional members
	}
	return json.RawMessage(marshal(p))
}
