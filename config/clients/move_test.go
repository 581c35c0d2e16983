package clients_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mcp-aggregator/config"
	"mcp-aggregator/config/clients"
)

func moving(t tb, key string) clients.Migration {
	return clients.Migration{
		System: clients.System{GOOS: "linux"}, Client: client(t, key), File: "f.json",
		Key: "aggregator", Ours: "/home/you/mcp.json", Env: config.NewEnv([]string{"SET=1"}),
	}
}

func TestMoveAddsServersToOurFile(t *testing.T) {
	const before = `{
  "mcpServers": {
    // the first
    "a": {"command": "x", "args": ["$A"]}, // about a
    "remote": {"url": "https://example.com"},
    "same": {"command": "y"},
    "other": {"command": "z"},
    "unset": {"command": "${SET}", "args": ["${env:NO}"]},
    "last": {"command": "last", "timeout": 3} // about last
  }
}`
	const ours = "{\"mcpServers\": {\n\t\"same\": {\"command\": \"y\"},\n\t\"other\":   {\"command\": \"else\"}\n}}"
	moved, err := moving(t, "claude-code").Move([]byte(strings.Replace(before, "${env:NO}", "${NO}", 1)), []byte(ours))
	if err != nil {
		t.Fatal(err)
	}
	const wantClient = `{
  "mcpServers": {
    // the first // about a
    "remote": {"url": "https://example.com"},
    "other": {"command": "z"},
    "unset": {"command": "${SET}", "args": ["${NO}"]} // about last
  }
}`
	const wantOurs = "{\"mcpServers\": {\n\t\"same\": {\"command\": \"y\"},\n\t\"other\":   {\"command\": \"else\"},\n" +
		"\t\"a\": {\n\t  \"command\": \"x\",\n\t  \"args\": [\"$$A\"]\n\t},\n\t\"last\": {\n\t  \"command\": \"last\"\n\t}\n}}"
	if string(moved.Client) != wantClient || string(moved.Ours) != wantOurs {
		t.Errorf("client\n%s\nours\n%s", moved.Client, moved.Ours)
	}
	if want := []string{"a", "same", "last"}; !slices.Equal(moved.Keys, want) {
		t.Errorf("moved %q", moved.Keys)
	}
	var lines []string
	for _, line := range slices.Concat(moved.LeftOut, moved.Notes) {
		lines = append(lines, line.Path+": "+line.Text)
	}
	if want := []string{
		`mcpServers.remote: only stdio servers can be imported, and this one has "url"; ` + "serve it with `mcp-aggregator serve --config FILE`, or write a stdio bridge such as mcp-remote in its place",
		"mcpServers.other: /home/you/mcp.json has another server with this key; rename one of them",
		`mcpServers.unset: environment variable "NO" is not set; set it and install again`,
		`mcpServers.last: "timeout": calls take as long as the client allows for the aggregator`,
	}; !slices.Equal(lines, want) {
		t.Errorf("told\n%s", strings.Join(lines, "\n"))
	}
}

// No server is lost or duplicated, and moving again moves nothing.
func TestEveryServerIsInOneOfTheFiles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := clientFile(t, "mcpServers")
		m := moving(t, "claude-desktop")
		moved, err := m.Move([]byte(before), nil)
		if err != nil {
			t.Fatalf("%v of\n%s", err, before)
		}
		file, err := config.Read("/c.json", moved.Ours)
		if err != nil || len(file.Problems) > 0 || len(file.Servers) != len(moved.Keys) {
			t.Fatalf("%v, moved %q into\n%s", err, moved.Keys, moved.Ours)
		}
		for _, server := range file.Servers {
			if server.Command != "x" || len(server.Args) != 3 {
				t.Fatalf("%+v", server)
			}
			if strings.Contains(string(moved.Client), `"`+server.Key+`"`) {
				t.Fatalf("%s stays in\n%s\nof\n%s", server.Key, moved.Client, before)
			}
		}
		again, err := m.Move(moved.Client, moved.Ours)
		if err != nil || len(again.Keys) > 0 || string(again.Ours) != string(moved.Ours) || string(again.Client) != string(moved.Client) {
			t.Fatalf("%v, again %q", err, again.Keys)
		}
	})
}

// A file with many servers must not be rewritten for each of them.
func TestTheCostOfMovingIsLinear(t *testing.T) {
	cost := func(servers int) uint64 {
		var file strings.Builder
		file.WriteString(`{"mcpServers": {`)
		for i := range servers {
			fmt.Fprintf(&file, "\n  \"s%d\": {\"command\": \"x\"}, // c", i)
		}
		file.WriteString("\n}}")
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		moved, err := moving(t, "claude-desktop").Move([]byte(file.String()), nil)
		runtime.ReadMemStats(&after)
		if err != nil || len(moved.Keys) != servers {
			t.Fatalf("%v, %d moved", err, len(moved.Keys))
		}
		return after.TotalAlloc - before.TotalAlloc
	}
	if one, two := cost(500), cost(1000); two > 3*one {
		t.Errorf("%d bytes for 500, %d for 1,000", one, two)
	}
}

func TestMovingToTheSameFileIsAnError(t *testing.T) {
	m := moving(t, "cursor")
	m.Ours = m.File
	file := []byte(`{"mcpServers": {"a": {"command": "x"}}}`)
	if moved, err := m.Move(file, file); err == nil || !strings.Contains(err.Error(), "move its servers to another one") {
		t.Errorf("%v, %v", moved, err)
	}
}
