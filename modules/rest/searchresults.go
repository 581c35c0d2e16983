package rest

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"time"

	"mcp-aggregator/modules/lean"
	"mcp-aggregator/modules/search"
	"mcp-aggregator/modules/servers"
	"mcp-aggregator/modules/wire"
)

// searchResultsBody is the answer to a search.
type searchResultsBody struct {
	Query    string             `json:"query" example:"create an issue"`
	Tools    []foundToolBody    `json:"tools" nullable:"false" doc:"The best first."`
	Metadata searchMetadataBody `json:"metadata"`
}

// foundToolBody is a tool that was found. Its raw members are written as parts.
type foundToolBody struct {
	ID             string           `json:"id" doc:"The id of the server and original_name: it stays when the server is renamed." example:"4f8d1c86-3f0e-4a3c-9c55-8a3a4e1b6f10:create_issue"`
	Name           string           `json:"name" doc:"What it is called here: server.tool." example:"github.create_issue"`
	OriginalName   string           `json:"original_name" doc:"What its server calls it." example:"create_issue"`
	Score          float64          `json:"score" minimum:"0" maximum:"1" example:"0.82"`
	SourceServer   sourceServerBody `json:"source_server"`
	SkillIDs       []string         `json:"skill_ids" nullable:"false" doc:"The skills that it was assigned to; none yet."`
	PrimarySkillID *string          `json:"primary_skill_id" doc:"The one that fits best; null if it has none."`
	Signature      string           `json:"signature" doc:"Its parameters on one line. * marks required ones, +3 counts optional ones that are not shown." example:"(owner*: string, repo*: string, +3)"`
	Explanation    *explanationBody `json:"explanation,omitempty" doc:"Where the score comes from, with explain."`

	Description  string          `json:"description" doc:"compact: its first sentence, or the title's if it has none; full: as the server wrote it." example:"Creates an issue."`
	Annotations  json.RawMessage `json:"annotations,omitempty" doc:"As the server wrote them; left out if it has none, and with compact those of more than 4 KiB."`
	InputSchema  json.RawMessage `json:"input_schema,omitempty" doc:"full: the JSON Schema of its arguments, as the server wrote it; left out if it has none."`
	OutputSchema json.RawMessage `json:"output_schema,omitempty" doc:"full: the JSON Schema of its structured result, as the server wrote it; left out if it has none."`
}

type sourceServerBody struct {
	ID     string `json:"id" format:"uuid" example:"4f8d1c86-3f0e-4a3c-9c55-8a3a4e1b6f10"`
	Name   string `json:"name" example:"github"`
	Status string `json:"status" enum:"CONNECTED,DEGRADED" example:"CONNECTED"`
}

type searchMetadataBody struct {
	ServersSearched int      `json:"servers_searched" doc:"How many servers with tools were searched: connected ones, of server_filter if it is given." example:"2"`
	ToolsSearched   int      `json:"total_tools_searched" doc:"How many tools these have." example:"45"`
	TookMS          float64  `json:"took_ms" doc:"Milliseconds that the search took." example:"0.6"`
	Legs            []string `json:"legs" nullable:"false" doc:"What took part: lexical, by words; dense, by vectors; learned, by what was called after such queries." example:"[\"lexical\"]"`
}

type explanationBody struct {
	Legs  map[string]float64 `json:"legs" doc:"What each leg gave; they add up to the score."`
	Terms []termBody         `json:"terms" nullable:"false" doc:"What the part of the lexical leg consists of."`
}

type termBody struct {
	Word   string           `json:"word" doc:"Of the query." example:"ticket"`
	Term   string           `json:"term" doc:"Of the tool, what it was found as." example:"issue"`
	Match  string           `json:"match" enum:"exact,synonym,corrected" doc:"How the two are related. corrected: no tool has the word, and the term is written almost like it."`
	Score  float64          `json:"score" doc:"Its part of what the lexical leg gave."`
	Fields []fieldScoreBody `json:"fields" nullable:"false" doc:"Where in the tool the term stands, the most important first."`
}

type fieldScoreBody struct {
	Field string  `json:"field" doc:"name, title, description, parameter, parameter_description, server, server_title or server_description." example:"description"`
	Score float64 `json:"score" doc:"Its part of the term's."`
}

// find returns a searchResultsBody in parts. The raw members are not copied: definitions
// may be large.
func (a *API) find(ctx context.Context, r searchRequest, began time.Time) (parts [][]byte, err error) {
	var results search.Results
	if r.external {
		results, err = a.deps.Search.Search(ctx, r.host, search.Query{Text: r.text, Limit: r.limit, Servers: r.servers, Explain: r.explain})
	}
	if err != nil {
		return nil, err
	}
	parts = [][]byte{append(wire.AppendQuoted([]byte(`{"query":`), r.text), `,"tools":[`...)}
	for i := range results.Hits {
		hit := &results.Hits[i]
		// The index follows the records, which are what the client has seen.
		s, err := a.deps.Servers.Server(hit.ServerID)
		if err != nil || !s.Status.Live() {
			continue
		}
		if len(parts) > 1 {
			parts = append(parts, []byte{','})
		}
		parts = append(parts, foundTool(hit, s, r.full)...)
	}
	metadata := searchMetadataBody{
		ServersSearched: results.ServersSearched, ToolsSearched: results.ToolsSearched,
		TookMS: milliseconds(time.Since(began)), Legs: []string{},
	}
	for _, leg := range results.Legs {
		metadata.Legs = append(metadata.Legs, string(leg))
	}
	return append(parts, []byte(`],"metadata":`), marshal(metadata), []byte{'}'}), nil
}

// maxCompactAnnotations is how long annotations may be to be in a compact result, in
// bytes: those that MCP defines take 200.
const maxCompactAnnotations = 4 << 10

// foundTool returns a foundToolBody in parts.
func foundTool(hit *search.Hit, s servers.Server, full bool) (parts [][]byte) {
	view := foundToolBody{
		ID: s.ID + ":" + hit.OriginalName, Name: s.Name + "." + hit.OriginalName, OriginalName: hit.OriginalName, Score: hit.Score,
		SourceServer: sourceServerBody{s.ID, s.Name, string(s.Status)}, SkillIDs: []string{},
	}
	d := readDefinition(hit.Definition)
	view.Signature = lean.Signature(d.inputSchema)
	if hit.Explanation != nil {
		view.Explanation = explanationView(hit.Explanation)
	}
	if !full {
		view.Description = d.summary()
		if len(d.annotations) > maxCompactAnnotations {
			d.annotations = nil
		}
		d.description, d.inputSchema, d.outputSchema = nil, nil, nil
	}
	head := marshal(view)
	if d.description != nil {
		// The raw text stands for the empty one, which is the last member.
		head = bytes.TrimSuffix(head, []byte(`,"description":""}`))
	} else {
		head = bytes.TrimSuffix(head, []byte{'}'})
	}
	parts = append(parts, head)
	for _, member := range []struct {
		name string
		raw  []byte
	}{{"description", d.description}, {"annotations", d.annotations}, {"input_schema", d.inputSchema}, {"output_schema", d.outputSchema}} {
		if member.raw != nil {
			parts = append(parts, []byte(`,"`+member.name+`":`), member.raw)
		}
	}
	return append(parts, []byte{'}'})
}

// definition is what a search shows of a tool's definition, as the server wrote it; what
// it lacks is nil.
type definition struct {
	title, description, annotations, inputSchema, outputSchema []byte
}

// readDefinition reads a definition. A description that is not a string is left out.
func readDefinition(raw []byte) (d definition) {
	keep := func(to *[]byte, value wire.Span) {
		if *to == nil { // of two of one name, the first
			*to = value.Of(raw)
		}
	}
	for quoted, value := range wire.Members(raw) {
		switch name, _ := wire.Unquote(quoted); name {
		case "title":
			keep(&d.title, value)
		case "description":
			keep(&d.description, value)
		case "annotations":
			keep(&d.annotations, value)
		case "inputSchema":
			keep(&d.inputSchema, value)
		case "outputSchema":
			keep(&d.outputSchema, value)
		}
	}
	if len(d.description) > 0 && d.description[0] != '"' {
		d.description = nil
	}
	return d
}

// summary returns the first sentence of the description, or of the title.
func (d definition) summary() string {
	for _, raw := range [][]byte{d.description, d.title} {
		text, _ := wire.Unquote(beginning(raw))
		if summary := lean.Summary(text); summary != "" {
			return summary
		}
	}
	return ""
}

// maxSummarized is how many bytes of a text are read for its first sentence, so that a
// long one costs no more than others.
const maxSummarized = 8 << 10

// beginning returns a raw string that has the first characters of another one.
func beginning(raw []byte) []byte {
	if len(raw) <= maxSummarized {
		return raw
	}
	text := string(raw[:maxSummarized])
	if i := strings.LastIndexByte(text, '\\'); i >= len(text)-len(`\uXXXX`) {
		if row := i + 1 - len(strings.TrimRight(text[:i+1], `\`)); row%2 == 1 { // it begins an escape
			text = text[:i]
		}
	}
	return []byte(text + `"`)
}

func explanationView(e *search.Explanation) *explanationBody {
	view := &explanationBody{Legs: map[string]float64{}, Terms: []termBody{}}
	for leg, score := range e.Legs {
		view.Legs[string(leg)] = score
	}
	for _, t := range e.Terms {
		term := termBody{Word: t.Word, Term: t.Term, Match: string(t.Match), Score: t.Score, Fields: []fieldScoreBody{}}
		for _, f := range t.Fields {
			term.Fields = append(term.Fields, fieldScoreBody{f.Field, f.Score})
		}
		view.Terms = append(view.Terms, term)
	}
	return view
}
