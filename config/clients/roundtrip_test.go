package clients_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tailscale/hujson"
	"pgregory.net/rapid"

	"mcp-aggregator/config"
	"mcp-aggregator/config/clients"
)

func installation(t interface{ Fatalf(string, ...any) }, key string) clients.Installation {
	return clients.Installation{
		Client: client(t, key), File: "f.json", Key: "aggregator",
		Command: "/bin/mcp-simple-aggregator", Args: []string{"--config", "/home/you/mcp.json"},
	}
}

// layout draws the layout of a file: the text between its tokens.
type layout struct {
	t       *rapid.T
	newline string
	unit    string
	oneLine bool
	commas  bool // trailing ones
}

func drawLayout(t *rapid.T) layout {
	return layout{
		t:       t,
		newline: rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "newline"),
		unit:    rapid.SampledFrom([]string{"  ", "    ", "\t", ""}).Draw(t, "unit"),
		oneLine: rapid.Bool().Draw(t, "one line"),
		commas:  rapid.Bool().Draw(t, "trailing commas"),
	}
}

// gap returns the text before a member or the end of an object.
func (l layout) gap(depth int) string {
	if l.oneLine {
		return l.unit
	}
	comment := rapid.SampledFrom([]string{"", "", "", " // c", " /* c */", "/* a\n b */ // \"d\"", l.newline + "// own line", " "}).Draw(l.t, "comment")
	return comment + l.newline + strings.Repeat(l.unit, depth)
}

// object renders at least one member.
func (l layout) object(depth int, members ...string) string {
	var out strings.Builder
	out.WriteString("{")
	for i, m := range members {
		out.WriteString(l.gap(depth+1) + m)
		if i < len(members)-1 || l.commas {
			out.WriteString(",")
		}
	}
	return out.String() + l.gap(depth) + "}"
}

// clientFile draws a file with servers in it.
func clientFile(t *rapid.T, root string) string {
	l := drawLayout(t)
	var servers []string
	for i := range rapid.IntRange(1, 3).Draw(t, "servers") {
		servers = append(servers, fmt.Sprintf(`"s%d": `, i)+l.object(2, `"command": "x"`, `"args": ["a, b", "//", "}"]`))
	}
	members := []string{fmt.Sprintf("%q: ", root) + l.object(1, servers...)}
	if rapid.Bool().Draw(t, "more before") {
		members = append([]string{`"theme": "dark"`}, members...)
	}
	if rapid.Bool().Draw(t, "more after") {
		members = append(members, `"after": [1, {"mcpServers": {}}]`)
	}
	text := l.object(0, members...) + rapid.SampledFrom([]string{"", l.newline, " // end", l.newline + "/* end */"}).Draw(t, "end")
	if rapid.Bool().Draw(t, "byte-order mark") {
		return "\ufeff" + text
	}
	return text
}

func TestUninstallRevertsInstall(t *testing.T) {
	for _, key := range []string{"claude-desktop", "vscode"} {
		in := installation(t, key)
		rapid.Check(t, func(t *rapid.T) {
			before := clientFile(t, in.Client.Servers)
			after := mustInstall(t, in, before)
			if again := mustInstall(t, in, after); again != after {
				t.Fatalf("the second time it became\n%s\nof\n%s", again, after)
			}
			out, served, err := in.Uninstall([]byte(after))
			if err != nil || string(out) != before || served != in.Args[1] {
				t.Fatalf("%v, %q\nbefore\n%s\ninstalled\n%s\nafter\n%s", err, served, before, after, out)
			}
		})
	}
}

func mustInstall(t tb, in clients.Installation, before string) string {
	t.Helper()
	after, err := in.Install([]byte(before))
	if err != nil {
		t.Fatalf("%v of\n%s", err, before)
	}
	return string(after)
}

func TestInstallOnlyAdds(t *testing.T) {
	in := installation(t, "cursor")
	rapid.Check(t, func(t *rapid.T) {
		before := clientFile(t, in.Client.Servers)
		after := mustInstall(t, in, before)
		rest := after
		for i := range len(before) {
			at := strings.IndexByte(rest, before[i])
			if at < 0 {
				t.Fatalf("byte %d of\n%s\nis lost in\n%s", i, before, after)
			}
			rest = rest[at+1:]
		}
	})
}

// Install either returns an error, or a file that has the entry and that clients can
// parse.
func FuzzInstall(f *testing.F) {
	for _, text := range []string{
		"", " \n", "{}", "\ufeff{}", `{"mcpServers":{}}`, `{"mcpServers": {"a": {}}}`, "{\"mcpServers\": {// c\n}}", `{"mcpServers": {"a": {},},}`,
		"{\r\n\t\"mcpServers\": {\r\n\t\t\"a\": {} // c\r\n\t}\r\n}", `{"mcpServers": {"aggregator": {"command": "x"}}}`, `[`, `{"mcpServers": []}`,
		`{"mcpServers": {"aggregator": {"command": "mcp-simple-aggregator", "args": [1]}}} // c`, `{/**/"a":/**/1/**/,/**/}`, "\xff\xfe", "{\"mcpServers\": {/* // */ \"a\": 1 // c\n}}",
		`{"mcpServers": {}, "mcpServers": {}}`, `{"a":/*c*/1}`,
	} {
		f.Add([]byte(text))
	}
	in := installation(f, "claude-desktop")
	f.Fuzz(func(t *testing.T, data []byte) {
		out, err := in.Install(data)
		if err != nil {
			if _, ok := errors.AsType[*config.Error](err); !ok || strings.Contains(err.Error(), "layout") {
				t.Fatalf("%v of %q", err, data)
			}
			return
		}
		standard, err := hujson.Standardize(append(bytes.TrimPrefix(out, []byte("\ufeff")), '\n'))
		if err != nil || !bytes.Contains(standard, []byte(`/bin/mcp-simple-aggregator`)) {
			t.Fatalf("%v: %q became %q", err, data, out)
		}
		if again, err := in.Install(out); err != nil || !bytes.Equal(again, out) {
			t.Fatalf("%v: %q, again %q", err, out, again)
		}
		if clients.Diff("f", data, data, in.Shown()) != "" {
			t.Fatal("no change shows as one")
		}
		_ = clients.Diff("f", data, out, in.Shown())
		if _, _, err := in.Uninstall(out); err != nil {
			t.Fatalf("%v: %q", err, out)
		}
	})
}
