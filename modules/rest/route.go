package rest

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
)

// route registers every endpoint, and the document of them. huma makes the
// document; the bodies are not read by huma.Register, which decodes into maps:
// it loses repeated members and the literals of numbers.
func (a *API) route(o Options) {
	document := newDocument(o.Version)
	a.schemas = document.Components.Schemas
	a.draft, a.change, a.call = schemaOf(a.schemas, draftBody{}), schemaOf(a.schemas, changeBody{}), schemaOf(a.schemas, callBody{})
	api := humago.New(a.mux, huma.Config{OpenAPI: document})
	for _, e := range a.endpoints() {
		document.AddOperation(e.operation(a.schemas))
		api.Adapter().Handle(e.routed(), a.handler(e, o.Token))
	}
	a.routeDocument(document)
}

// routed returns the endpoint as the mux has to know it.
func (e endpoint) routed() *huma.Operation {
	path := e.path
	if e.pattern != "" {
		path = e.pattern
	}
	return &huma.Operation{Method: e.method, Path: path}
}

// handler returns what answers an endpoint's requests.
func (a *API) handler(e endpoint, token string) func(huma.Context) {
	var next http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := e.known(r.URL.RawQuery); err != nil {
			a.answer(w, r, reply{}, err)
			return
		}
		out, err := e.handle(r)
		a.answer(w, r, out, err)
	})
	if !e.public {
		next = RequireToken(token, next)
	}
	return func(ctx huma.Context) {
		r, w := humago.Unwrap(ctx)
		next.ServeHTTP(w, r)
	}
}
