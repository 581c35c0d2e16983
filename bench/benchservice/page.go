package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const introduction = `# Benchmarks of the service

` + "```sh\nmake bench-service\n```" + `

measures everything below in one run and writes this page; ` + "`bin/bench/benchservice -steady 5s -rounds 2`" + `
prints it sooner. The driver, the children and the servers share the machine with the
service. Absolute times are not comparable between machines; what was measured in the
same run is. All calls have 100 bytes of argument and of result. The driver writes
HTTP/1.1 on connections that it keeps, and the servers answer with bytes made before
([bench/child](../bench/child/main.go),
[bench/benchservice/backend](../bench/benchservice/backend/main.go)). The *plain
HTTP server* is that backend, called directly: Go's net/http with the same bodies. The
*gateway of the SDK's types* is what one would write with the typed client and server of
the Go SDK and its streamable HTTP handler
([bench/typedproxy](../bench/typedproxy/main.go)).
`

// Page returns the page in Markdown.
func (r *Report) Page() string {
	var b strings.Builder
	m := r.Machine
	b.WriteString(introduction)
	fmt.Fprintf(&b, "\n%s, commit %s, %s, %s, %d cores (%s), %d rounds, %g s at a fixed rate.\n",
		m.Date, m.Commit, m.Go, m.System, m.Cores, m.CPU, r.Rounds, r.Steady)
	for _, t := range r.tables() {
		t.Markdown(&b)
	}
	return b.String()
}

// Write writes the page and the JSON file into a folder.
func (r *Report) Write(folder string) error {
	figures, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	base := filepath.Join(folder, "benchmarks-service")
	if err := os.WriteFile(base+".json", append(figures, '\n'), 0o644); err != nil {
		return err
	}
	return os.WriteFile(base+".md", []byte(r.Page()), 0o644)
}
