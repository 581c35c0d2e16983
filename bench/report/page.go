package report

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Write writes the page, the charts and the JSON file into a folder.
func (r *Report) Write(folder string) error {
	figures, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, "benchmarks.json"), append(figures, '\n'), 0o644); err != nil {
		return err
	}
	if err := r.draw(folder); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "benchmarks.md"), []byte(r.Page()), 0o644)
}

// Print writes the tables to a terminal.
func (r *Report) Print(w io.Writer) {
	for _, t := range r.tables() {
		t.Plain(w)
	}
}

const introduction = `# Benchmarks

` + "```sh\nmake bench\n```" + `

measures everything below in one run and writes this page. Absolute times are not
comparable between machines; ratios within one run are. The driver and the child
cost next to nothing: their lines are made before, and they read no more of one than
its head. *Direct* is the driver and the child; *relay* has a program between them
that only copies bytes, through pipes as wide as the aggregator's: the floor for one
more process; *typed proxy* is what one would write with the typed client and server
of the Go SDK ([bench/typedproxy](../bench/typedproxy/main.go)).
*Text* has nothing to escape. *Code* is lines of programs, with an escape every few
characters, and in results beside them as much of a structured result with many small
members. Rounds are interleaved, each in an order of its own and with new processes,
and each figure is the median of the rounds.
`

// Page returns the page in Markdown.
func (r *Report) Page() string {
	var b strings.Builder
	m := r.Machine
	b.WriteString(introduction)
	fmt.Fprintf(&b, "\n%s, commit %s, %s, %s, %d cores (%s), %d rounds.\n", m.Date, m.Commit, m.Go, m.System, m.Cores, m.CPU, r.Rounds)
	for _, t := range r.tables() {
		t.Markdown(&b)
	}
	b.WriteString(r.notes())
	return b.String()
}

// notes explain the targets that this run missed.
func (r *Report) notes() string {
	var b strings.Builder
	for _, t := range r.Targets {
		if t.Verdict == Missed {
			fmt.Fprintf(&b, "\n**%s**, %s: %.2f. %s\n", t.What, t.Limit, t.Value, t.note)
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return "\n## Where a target is missed\n\nWhat the time is spent on, and what the floor is: [profile.md](profile.md).\n" + b.String()
}
