package rest

import (
	"bytes"
	_ "embed" // for the page
	"encoding/json"
	"html/template"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
)

//go:embed page.html
var pageHTML string

// pagePolicy lets the page load nothing: it is whole.
const pagePolicy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// routeDocument has the document served as JSON and YAML, and the page of it: each
// is made when it is first asked for. They need no token: they are the same in
// every installation.
func (a *API) routeDocument(document *huma.OpenAPI) {
	a.serve(prefix+"/openapi.json", "application/openapi+json", func() ([]byte, error) {
		return json.MarshalIndent(document, "", "  ")
	})
	a.serve(prefix+"/openapi.yaml", "application/openapi+yaml", document.YAML)
	a.serve(prefix+"/docs", "text/html; charset=utf-8", func() ([]byte, error) { return render(document) })
}

func (a *API) serve(path, kind string, body func() ([]byte, error)) {
	once := sync.OnceValues(body)
	a.mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
		body, err := once()
		w.Header().Set("Content-Security-Policy", pagePolicy)
		a.answer(w, r, reply{status: http.StatusOK, kind: kind, body: body}, err)
	})
}

// operationView is one operation as the page shows it.
type operationView struct {
	Method, Path string
	*huma.Operation
}

// render makes the page of a document.
func render(document *huma.OpenAPI) ([]byte, error) {
	page, err := template.New("page").Funcs(template.FuncMap{
		"operations": operationsOf, "kind": kindOf, "has": slices.Contains[[]string], "indent": indent,
	}).Parse(pageHTML)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = page.Execute(&out, document)
	return out.Bytes(), err
}

// operationsOf returns the operations of a tag, by path.
func operationsOf(document *huma.OpenAPI, tag string) (views []operationView) {
	for _, path := range slices.Sorted(maps.Keys(document.Paths)) {
		item := document.Paths[path]
		for _, view := range []operationView{
			{http.MethodGet, path, item.Get},
			{http.MethodPost, path, item.Post},
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

// typeView is a type as the page shows it; Ref names the schema that it links to.
type typeView struct{ Before, Ref, After string }

func kindOf(schema *huma.Schema) typeView {
	switch {
	case schema.Ref != "":
		return typeView{Ref: schema.Ref[strings.LastIndexByte(schema.Ref, '/')+1:]}
	case schema.Items != nil:
		inner := kindOf(schema.Items)
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
