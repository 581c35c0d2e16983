package rest

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// endpoint is one operation: its handler and its description in the document.
type endpoint struct {
	method, path string
	pattern      string // the pattern of the mux, if it is not path
	id           string
	summary      string
	description  string
	public       bool // needs no token
	params       []*huma.Param
	body         any // a value of the body's type; nil for no body
	bodyExample  any
	status       int
	result       any    // a value of the response's type, or a *huma.Schema; nil for no body
	contentType  string // of the response; contentTypeJSON if empty
	codes        []code
	handle       func(*request) (reply, error)
}

// request is a request to an endpoint.
type request struct {
	*http.Request

	schemas huma.Registry
	schema  *huma.Schema // of the endpoint's body; nil if there is none
}

// Deps are the other modules, as far as endpoints need them.
type Deps struct {
	Servers     Servers
	Connections Connections
	Tools       Tools
	Profiles    Profiles
	Search      Search
	Readiness   Readiness
}

// group is the endpoints with one tag of the document.
type group struct {
	name, description string
	endpoints         []endpoint
}

// groups returns all endpoints of the API. A new endpoint is added here.
func (a *API) groups() []group {
	return []group{
		{"Servers", "The servers that the service is in front of.", slices.Concat(a.serverEndpoints(), a.connectionEndpoints())},
		{"Tools", "The tools of all servers.", slices.Concat(a.toolEndpoints(), a.searchEndpoints(), a.callEndpoints())},
		{"Profiles", "Named views of the tools, which MCP clients are served at an address of their own.", a.profileEndpoints()},
		{"Service", "The service itself.", a.healthEndpoints()},
	}
}

// bodyCodes are the additional codes of an endpoint with a body.
var bodyCodes = []code{invalidJSON, bodyTooLarge, bodyLate, noRoom, wrongMediaType}

// paramError returns the error for a parameter of the query.
func paramError(name, detail string) error {
	return newInvalid([]faultBody{{Parameter: name, Detail: detail}}).asError()
}

// checkQuery returns an error if the query has a parameter that the endpoint does not
// take.
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

// singleParam returns the value of a parameter that can be given once.
func singleParam(query url.Values, name string) (text string, given bool, err error) {
	switch values := query[name]; len(values) {
	case 0:
		return "", false, nil
	case 1:
		return values[0], true, nil
	default:
		return "", false, paramError(name, "appears twice: give one")
	}
}

func pathParam(name, text string, schema *huma.Schema, example any) *huma.Param {
	return &huma.Param{Name: name, In: "path", Required: true, Description: text, Schema: schema, Example: example}
}

func queryParam(name, text string, schema *huma.Schema, example any) *huma.Param {
	return &huma.Param{Name: name, In: "query", Description: text, Schema: schema, Example: example}
}
