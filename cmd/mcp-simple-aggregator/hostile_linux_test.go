package main_test

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"mcp-aggregator/testutil"
)

// hostileNames are names of tools that could act on a terminal or imitate other output.
var hostileNames = []string{
	"red\x1b[31m", "title\x1b]0;owned\x07", "c1\u009b2J", "back\b\b\b", "bell\a", "nul\x00", "del\x7f",
	"two\nlines", "return\rover", "tab\t", "right\u202eto left", "mark\u200f", "isolate\u2066x\u2069", "zero\u200bwidth",
	"line\u2028separator", "bom\ufeff", "level=ERROR msg=\"server failed\" server=b",
}

// longName has 10 MB in JSON.
var longName = strings.Repeat("\u202en\x1b", 10<<20/len("\u202en"+`\u001b`))

const imitation = "level=ERROR msg=\"server failed\" server=good phase=runtime reason=\"all is lost\""

// longestLogged bounds a line on standard error: a few values of 16 KiB, quoted.
const longestLogged = 200_000

// hostileServer is a server with those names, with descriptions that imitate log lines
// and, with long, two tools of the same longName. It crashes when it is called.
func hostileServer(t *testing.T, long bool) (entry string, definitions []string) {
	t.Helper()
	names := hostileNames
	if long {
		names = append([]string{longName}, names...)
	}
	for _, name := range names {
		raw, err := json.Marshal(map[string]any{"name": name, "description": "\n" + imitation + "\x1b[2J\u202e\n"})
		noError(t, err)
		definitions = append(definitions, string(raw))
	}
	list := "[" + strings.Join(definitions, ",") + "]"
	if long {
		list = "[" + definitions[0] + "," + list[1:]
	}
	folder := t.TempDir()
	tools, stderr := filepath.Join(folder, "tools.json"), filepath.Join(folder, "stderr")
	noError(t, os.WriteFile(tools, []byte(list), 0o600))
	noError(t, os.WriteFile(stderr, []byte("\x1b[31mred\u202e\a\r\n"+imitation+"\n\u009b2J\x00\xff%PASSWORD"), 0o600))
	return fmt.Sprintf(`"bad":{"command":"fakechild","args":["-tools","@%s","-stderr","@%s",`+
		`"-noise","\u001b]0;owned\u0007 \u202e %s","-when","tools/call","-exit","7"]}`,
		tools, stderr, strings.ReplaceAll(imitation, `"`, `\"`)), definitions
}

// expectHarmless fails the test for every character that could act on a terminal and for
// every line longer than longest.
func expectHarmless(t *testing.T, what, text string, longest int) {
	t.Helper()
	if !utf8.ValidString(text) {
		t.Errorf("%s is not UTF-8", what)
	}
	for number, line := range strings.Split(text, "\n") {
		if i := strings.IndexFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }); i >= 0 {
			t.Errorf("%s, line %d holds %+q", what, number+1, line[max(0, i-20):min(len(line), i+20)])
		}
		if len(line) > longest {
			t.Errorf("%s, line %d has %d bytes: %.100s", what, number+1, len(line), line)
		}
	}
}

func TestAHostileServerHarmsNoTerminal(t *testing.T) {
	t.Parallel()
	entry, definitions := hostileServer(t, false)
	p := serve(t, entry+`,"good":{"command":"fakechild"}`, "--debug")
	p.openReady(strings.ReplaceAll(strings.Join(definitions, ","), `"name":"`, `"name":"bad:`) + "," + echoOf("good"))
	name, err := json.Marshal("bad:" + hostileNames[0])
	noError(t, err)
	p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":%s}}`, name))
	p.expect(crashed(3, "bad", "exit status 7"))
	p.expect(listChanged)
	p.request(callOf(4, "good:echo"), result(4, `{"name":"echo"}`))
	noError(t, p.stdin.Close())
	p.awaitExit(0)
	expectHarmless(t, "standard error", p.stderr.String(), 6000)
	if strings.Contains("\n"+p.stderr.String(), "\n"+imitation) {
		t.Errorf("standard error holds the imitation:\n%s", p.stderr.String())
	}
}

func TestAHostileServerHarmsNoReport(t *testing.T) {
	t.Parallel()
	for name, long := range map[string]bool{"names": false, "a name of 10 MB": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			entry, definitions := hostileServer(t, long)
			p := serve(t, entry+`,"good":{"command":"fakechild"}`, "check")
			report, err := io.ReadAll(p.stdout)
			noError(t, err)
			testutil.Record(string(report))
			p.awaitExit(0)
			expectHarmless(t, "the report", string(report), 2000)
			expectHarmless(t, "standard error", p.stderr.String(), longestLogged)
			_, list, _ := strings.Cut(string(report), " tools\n")
			if got := strings.Count("\n"+list, "\n  "); got != len(definitions)+1 {
				t.Errorf("the report lists %d tools, want %d", got, len(definitions)+1)
			}
		})
	}
}

// Limits of what is printed do not apply to what passes to the client.
func TestANameOfTenMegabytesPasses(t *testing.T) {
	t.Parallel()
	entry, definitions := hostileServer(t, true)
	p := serve(t, entry)
	p.open()
	want := strings.ReplaceAll(strings.Join(definitions, ","), `"name":"`, `"name":"bad:`)
	p.awaitList(func(list string) bool { return list == `{"jsonrpc":"2.0","id":2,"result":{"tools":[`+want+`]}}` })
	noError(t, p.stdin.Close())
	p.awaitExit(0)
	expectHarmless(t, "standard error", p.stderr.String(), longestLogged)
}
