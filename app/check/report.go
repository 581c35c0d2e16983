package app

import (
	"encoding/json"
	"errors"
	"io"
	"strings"

	"mcp-aggregator/config"
	"mcp-aggregator/modules/child"
	"mcp-aggregator/modules/doctor"
)

// Report is what check has found; its JSON form is documented in docs/check.md
// and held by docs/check.schema.json.
type Report struct {
	Servers  []ServerReport   `json:"servers"` // in the order of the file
	Tokens   int              `json:"tokens"`  // estimate for all tools
	Biggest  []doctor.Size    `json:"biggest"` // the tools that cost most, at most five
	Findings []doctor.Finding `json:"findings"`
	Tools    []string         `json:"tools"`             // canonical names, in the order the client sees
	Allow    []string         `json:"allow,omitempty"`   // the patterns of --allow
	Deny     []string         `json:"deny,omitempty"`    // and of --deny
	Hidden   []string         `json:"hidden,omitempty"`  // canonical names of what --allow and --deny hide
	Skipped  []string         `json:"skipped,omitempty"` // configuration keys of servers that are disabled, not in --only, or not of stdio
	Client   string           `json:"client,omitempty"`
	Names    []NameReport     `json:"names,omitempty"` // of all tools, if check judges for one client or --separator changes them
}

// NameReport is one tool and the name that the client sees.
type NameReport struct {
	Tool string `json:"tool"` // canonical name
	Name string `json:"name"`
}

// ServerReport is what check has found of one server.
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

// maxBiggest is how many of the biggest tools are named.
const maxBiggest = 5

// report tells of the servers as they are now.
func (n *node) report(o Options, client string) Report {
	r := emptyReport()
	input := n.input(o, client)
	r.Findings = doctor.Examine(input)
	statuses := n.manager.Statuses()
	var sizes []doctor.Size
	for i, server := range input.Servers {
		row := rowOf(statuses[i])
		for _, tool := range server.Tools {
			size := doctor.Size{Name: tool.Name, Tokens: doctor.Tokens(tool.Definition)}
			sizes = append(sizes, size)
			row.Tokens += size.Tokens
		}
		row.Tools = len(server.Tools) // a tool may have lost its name to a server that came later
		r.Tokens += row.Tokens
		r.Servers = append(r.Servers, row)
	}
	r.Biggest = append(r.Biggest, doctor.Biggest(sizes, maxBiggest)...)
	r.Client = client
	r.Allow, r.Deny = o.Allow, o.Deny
	r.Hidden, r.Skipped = n.tools.HiddenNames(), skipped(n.file)
	r.Tools, r.Names = n.names(o, client)
	return r
}

func skipped(file *config.File) (keys []string) {
	for _, entry := range file.Servers {
		if entry.Disabled || entry.LeftOut || entry.Unsupported != nil {
			keys = append(keys, entry.Key)
		}
	}
	return keys
}

// emptyReport has arrays where there is nothing, not null.
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

// configReport tells of a configuration that no server was started for.
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

// write writes the report as JSON.
func (r Report) write(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(r)
}

// reportConfig prints the problems of a configuration as JSON, beside the lines
// on standard error; any other error has no form but those.
func reportConfig(w io.Writer, err error) error {
	problems, ok := errors.AsType[config.Errors](err)
	if !ok {
		return nil
	}
	return configReport(problems).write(w)
}
