package app

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"mcp-aggregator/modules/child"
)

// findings is what check reports; its JSON form is documented in docs/check.md.
type findings struct {
	Servers []finding `json:"servers"`
	Tools   []string  `json:"tools"` // public names
}

type finding struct {
	Name    string      `json:"name"` // configuration key
	Status  child.State `json:"status"`
	Tools   int         `json:"tools"`
	ReadyMs *int64      `json:"readyMs,omitempty"` // milliseconds from the handshake to the last page of tools; nil unless running
	Phase   child.Phase `json:"phase,omitempty"`
	Reason  string      `json:"reason,omitempty"`
	Exit    string      `json:"exit,omitempty"`
	Stderr  string      `json:"stderr,omitempty"`
}

func (n *node) findings() findings {
	f := findings{Servers: []finding{}, Tools: []string{}}
	for _, s := range n.manager.Statuses() {
		row := finding{Name: s.Key, Status: s.State, Tools: s.Tools}
		if s.State == child.Running {
			row.ReadyMs = new(s.Ready.Milliseconds())
		}
		if s.Err != nil {
			row.Phase, row.Reason, row.Exit, row.Stderr = s.Err.Phase, s.Err.Reason, s.Err.Exit, s.Err.Stderr
		}
		f.Servers = append(f.Servers, row)
	}
	listed := make(map[string]int)
	for _, entry := range n.tools.Snapshot().Entries() {
		f.Tools = append(f.Tools, entry.Name)
		listed[entry.Server]++
	}
	for i := range f.Servers { // a tool may have lost its name to a server that came later
		f.Servers[i].Tools = listed[f.Servers[i].Name]
	}
	return f
}

func (f findings) allRan() bool {
	for _, s := range f.Servers {
		if s.Status != child.Running {
			return false
		}
	}
	return true
}

func (f findings) print(w io.Writer, asJSON bool) error {
	if asJSON {
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		encoder.SetEscapeHTML(false)
		return encoder.Encode(f)
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "SERVER\tSTATUS\tTOOLS\tREADY\tREASON")
	for _, s := range f.Servers {
		fmt.Fprintf(table, "%s\t%s\t%d\t%s\t%s\n", quoted(s.Name), s.Status, s.Tools, s.ready(), s.why())
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%d tools\n", len(f.Tools))
	for _, name := range f.Tools {
		fmt.Fprintln(w, "  "+quoted(name))
	}
	return nil
}

func (s finding) ready() string {
	if s.ReadyMs == nil {
		return "-"
	}
	return (time.Duration(*s.ReadyMs) * time.Millisecond).String()
}

func (s finding) why() string {
	if s.Reason == "" {
		return "-"
	}
	why := string(s.Phase) + ": " + s.Reason
	if s.Exit != "" {
		why += " (" + s.Exit + ")"
	}
	return why
}

// maxShown bounds the names that a person is shown, in bytes.
const maxShown = 300

// quoted returns text as it is when nothing in it can act on a terminal, and no
// more of it than a person would read.
func quoted(text string) string {
	text = cut(text, maxShown)
	if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return strconv.Quote(text)
	}
	return text
}
