package check

import (
	"encoding/json"
	"errors"
	"io"
	"strings"

	"mcp-aggregator/app/simple"
	"mcp-aggregator/config"
	"mcp-aggregator/modules/child"
	"mcp-aggregator/modules/doctor"
)

// Report is the result of check. docs/check.md documents its JSON form, and
// docs/check.schema.json is its schema.
type Report struct {
	Servers  []ServerReport   `json:"servers"`        // in the order of the file
	Tokens   int              `json:"tokens"`         // estimate for all tools
	Lean     *LeanReport      `json:"lean,omitempty"` // nil without --lean
	Biggest  []doctor.Size    `json:"biggest"`        // the tools that cost most, at most five
	Findings []doctor.Finding `json:"findings"`
	Tools    []string         `json:"tools"`             // canonical names, in the order the client sees
	Allow    []string         `json:"allow,omitempty"`   // the patterns of --allow
	Deny     []string         `json:"deny,omitempty"`    // and of --deny
	Pin      []string         `json:"pin,omitempty"`     // and of --pin
	Hidden   []string         `json:"hidden,omitempty"`  // canonical names of what --allow and --deny hide
	Skipped  []string         `json:"skipped,omitempty"` // configuration keys of servers that are disabled, not in --only, or not of stdio
	Client   string           `json:"client,omitempty"`
	Names    []NameReport     `json:"names,omitempty"` // of all tools, if check judges for one client or --separator changes them
}

// LeanReport is the part of a [Report] on the list that clients get with --lean.
type LeanReport struct {
	Tools  int `json:"tools"`
	Tokens int `json:"tokens"` // estimate
}

// NameReport is the name that the client sees for one tool.
type NameReport struct {
	Tool string `json:"tool"` // canonical name
	Name string `json:"name"`
}

// ServerReport is the part of a [Report] on one server.
type ServerReport struct {
	Name    string      `json:"name"` // configuration key
	Status  child.State `json:"status"`
	Tools   int         `json:"tools"`
	Tokens  int         `json:"tokens"`            // estimate for its tools
	ReadyMs *int64      `json:"readyMs,omitempty"` // milliseconds from the handshake to the last page of tools; nil unless running
	Phase   child.Phase `json:"phase,omitempty"`
	Reason  string      `json:"reason,omitempty"`
	Exit    string      `json:"exit,omitempty"`
	Stderr  string      `json:"stderr,omitempty"`
}

// maxBiggest is how many of the biggest tools a report names.
const maxBiggest = 5

// newReport returns the report on the servers in their present state.
// Listed is the client's list with --lean.
func newReport(n *simple.Node, o simple.Options, client string, listed []simple.ListedTool) Report {
	r := emptyReport()
	g := gatherer{n, o, listed}
	input := g.input(client)
	r.Findings = doctor.Examine(input)
	statuses := n.Manager.Statuses()
	var sizes []doctor.Size
	for i, server := range input.Servers {
		row := rowOf(statuses[i])
		for _, tool := range server.Tools {
			size := doctor.Size{Name: tool.Name, Tokens: doctor.Tokens(tool.Definition)}
			sizes = append(sizes, size)
			row.Tokens += size.Tokens
		}
		row.Tools = len(server.Tools) // not those in its status: another server may have taken a tool's name since
		r.Tokens += row.Tokens
		r.Servers = append(r.Servers, row)
	}
	r.Biggest = append(r.Biggest, doctor.Biggest(sizes, maxBiggest)...)
	r.Client = client
	r.Allow, r.Deny, r.Pin = o.Allow, o.Deny, o.Pin
	if o.Lean {
		r.Lean = leanReport(listed)
	}
	r.Hidden, r.Skipped = n.Tools.HiddenNames(), skipped(n.File)
	r.Tools, r.Names = g.names(client)
	return r
}

func leanReport(listed []simple.ListedTool) *LeanReport {
	lean := &LeanReport{Tools: len(listed)}
	for _, tool := range listed {
		lean.Tokens += doctor.Tokens(tool.Definition)
	}
	return lean
}

func skipped(file *config.File) (keys []string) {
	for _, entry := range file.Servers {
		if entry.Disabled || entry.LeftOut || entry.Unsupported != nil {
			keys = append(keys, entry.Key)
		}
	}
	return keys
}

// emptyReport returns a report whose JSON has empty arrays, not null.
func emptyReport() Report {
	return Report{Servers: []ServerReport{}, Biggest: []doctor.Size{}, Findings: []doctor.Finding{}, Tools: []string{}}
}

func rowOf(s child.Status) ServerReport {
	row := ServerReport{Name: s.Key, Status: s.State}
	if s.State == child.Running {
		row.ReadyMs = new(s.Ready.Milliseconds())
	}
	if s.Err != nil {
		row.Phase, row.Reason, row.Exit, row.Stderr = s.Err.Phase, s.Err.Reason, s.Err.Exit, s.Err.Stderr
	}
	return row
}

// configReport returns the report on a configuration with problems, for which no server
// was started.
func configReport(problems config.Errors) Report {
	r := emptyReport()
	for _, p := range problems {
		what, fix, _ := strings.Cut(p.Message, "; ")
		where := p.Path
		if where == "" {
			where = p.File
		}
		r.Findings = append(r.Findings, doctor.Finding{
			Kind: doctor.Kind(p.Code), Severity: doctor.Error, Where: where, What: what, Fix: fix,
		})
	}
	return r
}

func (r Report) allRan() bool {
	for _, s := range r.Servers {
		if s.Status != child.Running {
			return false
		}
	}
	return true
}

func (r Report) writeJSON(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(r)
}

// writeConfigReport writes the problems of a configuration as JSON, in addition to the
// lines on standard error. Other errors have no JSON form.
func writeConfigReport(w io.Writer, err error) error {
	problems, ok := errors.AsType[config.Errors](err)
	if !ok {
		return nil
	}
	return configReport(problems).writeJSON(w)
}
