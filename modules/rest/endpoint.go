package rest

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// endpoint is one operation: what is done, and what the document says of it.
type endpoint struct {
	method, path string
	pattern      string // of the mux, if it is not path
	id           string
	summary      string
	description  string
	public       bool // needs no token
	params       []*huma.Param
	body         any // a value of the body's type; nil: there is none
	bodyExample  any
	status       int
	result       any    // a value of the response's type, or a *huma.Schema; nil: no body
	contentType  string // the response's Content-Type; plainJSON if empty
	codes        []code
	handle       func(*request) (reply, error)
}

// request is a request to an endpoint.
type request struct {
	*http.Request

	schemas huma.Registry
	schema  *huma.Schema // of the endpoint's body; nil if it takes none
}

// Deps are the other modules, as far as endpoints need them.
type Deps struct {
	Servers     Servers
	Connections Connections
	Tools       Tools
	Readiness   Readiness
}

// group is the endpoints under one heading of the document.
type group struct {
	name, description string
	endpoints         []endpoint
}

// groups returns all endpoints of the API.
func (a *API) groups() []group {
	return []group{
		{"Servers", "The servers that the service is in front of.", slices.Concat(a.serverEndpoints(), a.connectionEndpoints())},
		{"Tools", "The tools of all servers.", slices.Concat(a.toolEndpoints(), a.callEndpoints())},
		{"Service", "The service itself.", a.healthEndpoints()},
	}
}

// bodyCodes is how any request with a body can fail, beside what everybody's can.
var bodyCodes = []code{invalidJSON, bodyTooLarge, bodyLate, noRoom, wrongMediaType}

// paramError returns the error of a parameter of the query.
func paramError(name, detail string) error {
	return newInvalid([]faultBody{{Parameter: name, Detail: detail}}).asError()
}

// checkQuery returns the error of a query with a parameter that the endpoint does not take.
func (e endpoint) checkQuery(raw string) error {
	if raw == "" {
		return nil
	}
	query, err := url.ParseQuery(raw)
	if err != nil {
		return newInvalid([]faultBody{{Detail: "the query cannot be read: write special characters as %XX"}}).asError()
	}
	var names []string
	for _, p := range e.params {
		if p.In == "query" {
			names = append(names, p.Name)
		}
	}
	detail := "is unknown: there are none"
	if len(names) > 0 {
		detail = "is unknown: use " + strings.Join(names, ", ")
	}
	var faults []faultBody
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if !slices.Contains(names, name) {
			faults = append(faults, faultBody{Parameter: name, Detail: detail})
		}
	}
	if faults == nil {
		return nil
	}
	return newInvalid(faults).asError()
}

// singleParam returns the value of a parameter that is given at most once.
func singleParam(query url.Values, name string) (text string, given bool, err error) {
	switch values := query[name]; len(values) {
	case 0:
		return "", false, nil
	case 1:
		return values[0], true, nil
	default:
		return "", false, paramError(name, "is there twice: give one")
	}
}

func pathParam(name, text string, schema *huma.Schema, example any) *huma.Param {
	return &huma.Param{Name: name, In: "path", Required: true, Description: text, Schema: schema, Example: example}
}

func queryParam(name, text string, schema *huma.Schema, example any) *huma.Param {
	return &huma.Param{Name: name, In: "query", Description: text, Schema: schema, Example: example}
}
