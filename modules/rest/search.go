package rest

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"mcp-aggregator/modules/search"
	"mcp-aggregator/modules/servers"
	"mcp-aggregator/modules/wire"
)

// Search finds tools by what they do.
type Search interface {
	// Search returns the best tools for a query of a client at host. The index may be a
	// moment behind the records of the servers.
	Search(ctx context.Context, host string, q search.Query) (search.Results, error)
}

const searchPath = prefix + "/search"

// searchBody is a search.
type searchBody struct {
	Query           string   `json:"query" minLength:"1" doc:"What the tool is to do, in words; at most 8 KiB." example:"create an issue"`
	IncludeExternal bool     `json:"include_external,omitempty" default:"true" doc:"Whether to search the tools of the registered servers. These are all that are searched: without them nothing is found."`
	ServerFilter    []string `json:"server_filter,omitempty" nullable:"false" maxItems:"1000" doc:"Search only these servers, by name or id; all, if it is left out or empty. One that is not connected has nothing to find." example:"[\"github\"]"`
	Limit           int      `json:"limit,omitempty" minimum:"1" maximum:"100" default:"10" doc:"How many tools to return at most."`
	Detail          string   `json:"detail,omitempty" enum:"compact,full" default:"compact" doc:"compact: the first sentence of the description, the signature and the annotations. full: the whole description and the schemas, too, as the server wrote them."`
	Explain         bool     `json:"explain,omitempty" default:"false" doc:"Whether to say where each score comes from."`
}

func (a *API) searchEndpoints() []endpoint {
	const description = "The best tools of all connected servers, the best first, whichever server they are of. " +
		"Tools with the same score are ordered by name. Scores are from 0 to 1: 1 is a tool that has every word of the query everywhere. "
	return []endpoint{
		{
			method: http.MethodPost, path: searchPath, id: "search", summary: "Search for tools",
			description: description + "A query that is empty or longer than 8 KiB and a server that is unknown are invalid; a search that finds nothing is not.",
			body:        searchBody{}, bodyExample: searchExample(), status: http.StatusOK, result: searchResultsBody{},
			codes: bodyCodes, handle: a.search,
		},
		{
			method: http.MethodGet, path: searchPath, id: "searchByQuery", summary: "Search for tools, for people",
			description: description + "The same as POST with detail compact. The answer is indented.",
			params:      searchParams(), status: http.StatusOK, result: searchResultsBody{},
			handle: a.searchByQuery,
		},
	}
}

func searchExample() any {
	return map[string]any{"query": "create an issue", "server_filter": []string{"github"}, "limit": 5}
}

func searchParams() []*huma.Param {
	text := &huma.Schema{Type: "string"}
	least, most := float64(1), float64(search.MaxLimit)
	return []*huma.Param{
		queryParam("q", "What the tool is to do, in words; at most 8 KiB.", text, "create an issue"),
		queryParam("server", "Search only this server, by name or id; several are given between commas, or repeatedly.",
			&huma.Schema{Type: "array", Items: text}, []any{"github"}),
		queryParam("limit", "How many tools to return at most.",
			&huma.Schema{Type: "integer", Minimum: &least, Maximum: &most, Default: search.DefaultLimit}, search.DefaultLimit),
		queryParam("explain", "Whether to say where each score comes from.",
			&huma.Schema{Type: "boolean", Default: false}, true),
	}
}

// search handles POST.
func (a *API) search(r *request) (reply, error) {
	began := time.Now()
	body, err := readBody(r.Request, maxRecordBytes)
	if err != nil {
		return reply{}, err
	}
	s := checkShape(r.schemas, body, r.schema)
	find, problems := a.parseSearch(s)
	if faults := s.mergeProblems(problems); len(faults) > 0 {
		return reply{}, newInvalid(faults).asError()
	}
	find.host = hostOf(r.Request)
	parts, err := a.find(r.Context(), find, began)
	return reply{status: http.StatusOK, parts: parts}, err
}

// searchByQuery handles GET.
func (a *API) searchByQuery(r *request) (reply, error) {
	began := time.Now()
	find, problems := searchFromQuery(r.URL.Query())
	problems = append(problems, a.validateSearch(&find)...)
	if len(problems) > 0 {
		return reply{}, newInvalid(searchParamFaults(problems)).asError()
	}
	find.host = hostOf(r.Request)
	parts, err := a.find(r.Context(), find, began)
	if err != nil {
		return reply{}, err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, bytes.Join(parts, nil), "", "  "); err != nil {
		return reply{}, err
	}
	out.WriteByte('\n')
	return reply{status: http.StatusOK, body: out.Bytes()}, nil
}

// searchRequest is a search, by either method.
type searchRequest struct {
	host     string // of the client
	text     string
	servers  []string // names or ids; ids once it is validated
	limit    int
	external bool
	full     bool
	explain  bool
}

// parseSearch returns the search that a body describes, and what is wrong with its values.
func (a *API) parseSearch(s *bodyShape) (searchRequest, servers.Problems) {
	raw := func(name string) []byte { return s.places["/"+name].Of(s.body) }
	find := searchRequest{
		limit: search.DefaultLimit, external: string(raw("include_external")) != "false", explain: string(raw("explain")) == "true",
	}
	find.text, _ = wire.Unquote(raw("query"))
	for element := range wire.Elements(raw("server_filter")) {
		name, _ := wire.Unquote(element.Of(raw("server_filter")))
		find.servers = append(find.servers, name)
	}
	if limit := raw("limit"); limit != nil {
		find.limit, _ = strconv.Atoi(string(limit)) // 0, which is too small, for one without end
	}
	problems := a.validateSearch(&find)
	if detail := raw("detail"); detail != nil {
		text, _ := wire.Unquote(detail)
		find.full = text == "full"
		if !find.full && text != "compact" {
			problems = append(problems, servers.Problem{Pointer: "/detail", Message: "is unknown: use compact or full"})
		}
	}
	return find, problems
}

// searchFromQuery returns the search that a URL describes. The pointers of the problems
// are those that a body would have.
func searchFromQuery(query map[string][]string) (find searchRequest, problems servers.Problems) {
	find = searchRequest{limit: search.DefaultLimit, external: true}
	one := func(name, pointer string) (text string, given bool) {
		text, given, err := singleParam(query, name)
		if err != nil {
			problems = append(problems, servers.Problem{Pointer: pointer, Message: "appears twice: give one"})
		}
		return text, given
	}
	find.text, _ = one("q", "/query")
	if text, given := one("limit", "/limit"); given {
		find.limit, _ = strconv.Atoi(text)
	}
	if text, given := one("explain", "/explain"); given {
		if find.explain = text == "true"; !find.explain && text != "false" {
			problems = append(problems, servers.Problem{Pointer: "/explain", Message: "is unknown: use true or false"})
		}
	}
	for _, list := range query["server"] {
		find.servers = append(find.servers, strings.Split(list, ",")...)
	}
	return find, problems
}

// searchParamFaults converts problems with a body to those with the parameters of GET, one
// a parameter.
func searchParamFaults(problems servers.Problems) (faults []faultBody) {
	names := map[string]string{"query": "q", "server_filter": "server"}
	for _, p := range problems {
		member, _, _ := strings.Cut(strings.TrimPrefix(p.Pointer, "/"), "/")
		name := member
		if other, has := names[member]; has {
			name = other
		}
		if !slices.ContainsFunc(faults, func(f faultBody) bool { return f.Parameter == name }) {
			faults = append(faults, faultBody{Parameter: name, Detail: p.Message})
		}
	}
	return faults
}

// maxServerFilter bounds what a search compares each server with.
const maxServerFilter = 1000

// validateSearch returns what is wrong with a search, and replaces its servers by their ids.
func (a *API) validateSearch(find *searchRequest) (problems servers.Problems) {
	add := func(pointer, message string) {
		problems = append(problems, servers.Problem{Pointer: pointer, Message: message})
	}
	switch {
	case strings.TrimSpace(find.text) == "":
		add("/query", "is empty: say what the tool is to do")
	case len(find.text) > search.MaxQuery:
		add("/query", "is longer than 8 KiB: shorten it")
	}
	if find.limit < 1 || find.limit > search.MaxLimit {
		add("/limit", "must be a number from 1 to "+strconv.Itoa(search.MaxLimit))
	}
	if len(find.servers) > maxServerFilter {
		add("/server_filter", "has more than "+strconv.Itoa(maxServerFilter)+" servers: leave some out")
		return problems
	}
	if len(find.servers) == 0 {
		return problems
	}
	ids := a.serverIDs()
	for i, name := range find.servers {
		id, known := ids[name]
		if !known {
			add("/server_filter/"+strconv.Itoa(i), "is unknown: no server has the name or the id "+strconv.Quote(name))
		}
		find.servers[i] = id
	}
	return problems
}

// serverIDs returns the ids of all servers, by id and by name. A server's name precedes
// another one's id.
func (a *API) serverIDs() map[string]string {
	all := a.deps.Servers.Servers()
	ids := make(map[string]string, 2*len(all))
	for i := range all {
		ids[all[i].ID] = all[i].ID
	}
	for i := range all {
		ids[all[i].Name] = all[i].ID
	}
	return ids
}
