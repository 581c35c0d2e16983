package rest

import (
	"errors"
	"log/slog"
	"net/http"
	"runtime/debug"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"mcp-aggregator/modules/servers"
)

const prefix = "/api/v1"

// Options configures the API. The zero value works.
type Options struct {
	// Token is the bearer token that requests under /api/v1 must carry, except for those
	// of the document and its page. If it is empty, none is required.
	Token string
	// Version is the version of the service in the document.
	Version string
}

// API is the REST API, an http.Handler of /api/v1, /healthz and /readyz. It answers every
// other path with 404 and a problem.
type API struct {
	deps    Deps
	log     *slog.Logger
	lists   *toolListCache
	mux     *http.ServeMux
	schemas huma.Registry
}

// New returns the API.
func New(deps Deps, log *slog.Logger, o Options) *API {
	a := &API{deps: deps, log: log, lists: &toolListCache{tools: deps.Tools}, mux: http.NewServeMux()}
	a.registerRoutes(o)
	return a
}

// ServeHTTP answers one request.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer func() { a.recoverPanic(w, r, recover()) }()
	if handler, pattern := a.mux.Handler(r); pattern == "" {
		respondUnmatched(handler, w, r)
		return
	}
	a.mux.ServeHTTP(w, r)
}

// recoverPanic answers a request whose handler panicked. Handlers send nothing before the
// whole reply is made.
func (a *API) recoverPanic(w http.ResponseWriter, r *http.Request, reason any) {
	if reason == nil {
		return
	}
	if err, isError := reason.(error); isError && errors.Is(err, http.ErrAbortHandler) {
		panic(reason)
	}
	a.log.Error("a request made the service panic",
		"method", r.Method, "path", r.URL.Path, "reason", reason, "stack", string(debug.Stack()))
	newProblem(internalError, detailInternal).write(w)
}

// respond sends the reply, or the problem of err.
func (a *API) respond(w http.ResponseWriter, r *http.Request, out reply, err error) {
	if err == nil {
		out.write(w)
		return
	}
	p := problemOf(err)
	if failure, ok := errors.AsType[*servers.StoreError](err); ok {
		a.log.Error("a request failed", "method", r.Method, "path", r.URL.Path, "error", failure)
	}
	if p == nil {
		a.log.Error("a request failed", "method", r.Method, "path", r.URL.Path, "error", err)
		p = newProblem(internalError, detailInternal)
	}
	p.write(w)
}

// respondUnmatched answers a request that matches no pattern. The mux's own response
// supplies the status and the headers Allow or Location.
func respondUnmatched(handler http.Handler, w http.ResponseWriter, r *http.Request) {
	own := &headerRecorder{header: w.Header()}
	handler.ServeHTTP(own, r)
	w.Header().Del("Content-Length")
	switch own.status {
	case http.StatusNotFound:
		newProblem(notFound, detailNotFound).write(w)
	case http.StatusMethodNotAllowed:
		newProblem(methodNotAllowed, detailMethodNotAllowed).write(w)
	default:
		reply{status: own.status}.write(w)
	}
}

// headerRecorder is a ResponseWriter that discards the body.
type headerRecorder struct {
	header http.Header
	status int
}

func (h *headerRecorder) Header() http.Header { return h.header }

func (h *headerRecorder) WriteHeader(status int) { h.status = status }

func (h *headerRecorder) Write(part []byte) (int, error) { return len(part), nil }

// registerRoutes registers every endpoint and generates the document. huma makes the
// document, but huma.Register does not read the bodies, because it decodes into maps,
// which lose repeated members and number literals.
func (a *API) registerRoutes(o Options) {
	document := newDocument(o.Version)
	a.schemas = document.Components.Schemas
	api := humago.New(a.mux, huma.Config{OpenAPI: document})
	for _, g := range a.groups() {
		document.Tags = append(document.Tags, &huma.Tag{Name: g.name, Description: g.description})
		for _, e := range g.endpoints {
			document.AddOperation(e.operation(a.schemas, g.name))
			api.Adapter().Handle(e.muxOperation(), a.handler(e, o.Token))
		}
	}
	a.registerDocument(document)
}

// muxOperation returns the endpoint with the pattern of the mux.
func (e endpoint) muxOperation() *huma.Operation {
	path := e.path
	if e.pattern != "" {
		path = e.pattern
	}
	return &huma.Operation{Method: e.method, Path: path}
}

// handler returns the handler of an endpoint.
func (a *API) handler(e endpoint, token string) func(huma.Context) {
	var schema *huma.Schema
	if e.body != nil {
		schema = schemaOf(a.schemas, e.body)
	}
	var next http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := e.checkQuery(r.URL.RawQuery); err != nil {
			a.respond(w, r, reply{}, err)
			return
		}
		out, err := e.handle(&request{r, a.schemas, schema})
		a.respond(w, r, out, err)
	})
	if !e.public {
		next = RequireToken(token, next)
	}
	return func(ctx huma.Context) {
		r, w := humago.Unwrap(ctx)
		next.ServeHTTP(w, r)
	}
}
