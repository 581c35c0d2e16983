package clients_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"mcp-aggregator/config"
	"mcp-aggregator/config/clients"
)

// sample is a realistic file, based on the client's documentation.
type sample struct{ in, out, lines, client, goos, folder string }

func readSample(t *testing.T, path string) sample {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s := sample{goos: "linux"}
	parts := map[string]*string{"in": &s.in, "out": &s.out, "lines": &s.lines, "options": new(string)}
	for _, file := range archive.Files {
		*parts[file.Name] = string(file.Data)
	}
	for option := range strings.Lines(*parts["options"]) {
		switch name, value, _ := strings.Cut(strings.TrimSpace(option), " "); name {
		case "client":
			s.client = value
		case "goos":
			s.goos = value
		case "folder":
			s.folder = value
		case "bom":
			s.in = "\ufeff" + s.in
		case "crlf":
			s.in = strings.ReplaceAll(s.in, "\n", "\r\n")
		}
	}
	return s
}

func samples(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob("testdata/import/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d samples, %v", len(paths), err)
	}
	return paths
}

func TestSamplesAreImported(t *testing.T) {
	for _, path := range samples(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			s := readSample(t, path)
			found := clients.Collection{System: clients.System{GOOS: s.goos, Folder: "/work/this"}}
			if err := found.Add(client(t, s.client), s.folder, "f.json", []byte(s.in)); err != nil {
				t.Fatal(err)
			}
			if got := string(clients.Compose(found.Servers)); got != s.out {
				t.Errorf("written\n%s\nwant\n%s", got, s.out)
			}
			if got := linesOf(found); got != s.lines {
				t.Errorf("messages\n%s\nwant\n%s", got, s.lines)
			}
			if strings.Contains(linesOf(found), "hunter2") {
				t.Error("a secret is in a message")
			}
		})
	}
}

func linesOf(found clients.Collection) string {
	var out strings.Builder
	for _, line := range found.LeftOut {
		out.WriteString("left out " + line.Path + ": " + line.Text + "\n")
	}
	for _, line := range found.Notes {
		out.WriteString("note " + line.Path + ": " + line.Text + "\n")
	}
	for _, need := range clients.Unset(found.Servers, config.Env{}) {
		out.WriteString("set " + need.Name)
		if need.Why != "" {
			out.WriteString(" (" + need.Why + ")")
		}
		out.WriteString("\n")
	}
	return out.String()
}

func TestUninstallRevertsInstallInSamples(t *testing.T) {
	for _, path := range samples(t) {
		s := readSample(t, path)
		in := installation(t, s.client)
		after := mustInstall(t, in, s.in)
		if strings.Count(after, "\r\n") > 0 && strings.Count(after, "\r\n") != strings.Count(after, "\n") {
			t.Errorf("%s: line ends are mixed:\n%q", path, after)
		}
		if back, _, err := in.Uninstall([]byte(after)); err != nil || string(back) != s.in {
			t.Errorf("%s: %v:\n%s\nwant\n%s", path, err, back, s.in)
		}
		if diff := clients.Diff("f", []byte(s.in), []byte(after), in.Shown()); strings.Contains(diff, "hunter2") ||
			!strings.Contains(diff, in.Args[1]) {
			t.Errorf("%s: %s", path, diff)
		}
	}
}
