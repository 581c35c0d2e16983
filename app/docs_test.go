package app_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"mcp-aggregator/config"
	"mcp-aggregator/testutil"
)

// documents returns the documents for users.
func documents(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob("../docs/*.md")
	if err != nil || len(found) == 0 {
		t.Fatalf("no documents: %v", err)
	}
	return append(found, "../README.md")
}

var fence = regexp.MustCompile("(?ms)^```([a-z]+)\n(.*?)^```$")

// blocks returns the fenced blocks of one language in a document.
func blocks(t *testing.T, document, language string) []string {
	t.Helper()
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, match := range fence.FindAllStringSubmatch(string(text), -1) {
		if match[1] == language {
			found = append(found, match[2])
		}
	}
	return found
}

func TestDocumentedConsolesShowWhatHappens(t *testing.T) {
	testutil.MarkAll(t)
	t.Setenv("PATH", filepath.Dir(testutil.Build(t, stdioProgram))+string(os.PathListSeparator)+os.Getenv("PATH"))
	shell(t, "go build -o bin/ ./examples/...") // as make quickstart does
	shown := 0
	for _, document := range documents(t) {
		for _, block := range blocks(t, document, "console") {
			for session := range strings.SplitSeq("\n"+block, "\n$ ") {
				command, want, _ := strings.Cut(session, "\n")
				if strings.TrimSpace(command) == "" {
					continue
				}
				shown++
				if got := shell(t, command); steady(got) != steady(want) {
					t.Errorf("%s: %s\n got %s\nwant %s", document, command, got, want)
				}
			}
		}
	}
	if shown < 3 {
		t.Errorf("only %d commands are shown", shown)
	}
}

// shell runs a command in the root of the repository and returns its output.
func shell(t *testing.T, command string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-c", command)
	cmd.Dir = ".."
	out, err := cmd.CombinedOutput()
	testutil.Record(string(out))
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		t.Fatalf("%s: %v", command, err)
	}
	return string(out)
}

var (
	took    = regexp.MustCompile(`\b[0-9.]+m?s\b`)
	varying = regexp.MustCompile(`(?m)^ .* (desktop application gives; |ready after ).*\n`) // where Go is, and how busy the machine
	nothing = regexp.MustCompile(`(?m)^findings\n\n`)                                       // if those were all
	spaces  = regexp.MustCompile(` +`)
)

// steady removes from an output what differs between runs.
func steady(output string) string {
	output = varying.ReplaceAllString(took.ReplaceAllString(output, "TIME"), "")
	output = nothing.ReplaceAllString(output, "")
	return strings.TrimSpace(spaces.ReplaceAllString(output, " "))
}

func TestDocumentedCommandsExist(t *testing.T) {
	testutil.MarkAll(t)
	t.Setenv("PATH", filepath.Dir(testutil.Build(t, stdioProgram))+string(os.PathListSeparator)+os.Getenv("PATH"))
	for _, document := range documents(t) {
		for _, block := range blocks(t, document, "sh") {
			for command := range strings.Lines(block) {
				command = strings.TrimSpace(command)
				switch target, isMake := strings.CutPrefix(command, "make "); {
				case isMake:
					if out := shell(t, "make -n "+target); strings.Contains(out, "No rule to make target") {
						t.Errorf("%s: %s: %s", document, command, out)
					}
				case strings.HasPrefix(command, "bin/mcp-aggregator "): // TestTheReadmeLeadsToAToolCalledByCurlAndByMCP runs it
				case strings.HasPrefix(command, "mcp-aggregator "): // TestTheDocumentedCommandsAreUnderstood has it parsed
				case strings.Contains(command, " install --client "): // TestTheQuickstartHasEveryClient runs it
				case strings.Contains(command, "/home/you/"): // well formed, of a file that is not here
					if out := shell(t, command); !strings.Contains(out, "file not found") {
						t.Errorf("%s: %s: %s", document, command, out)
					}
				default:
					t.Errorf("%s: no test runs %q", document, command)
				}
			}
		}
	}
}

func TestDocumentedConfigsAreValid(t *testing.T) {
	env := config.NewEnv([]string{"HOME=/home/you", "DATABASE_URL=postgres://"})
	read := 0
	for _, document := range documents(t) {
		for _, block := range blocks(t, document, "json") {
			path := filepath.Join(t.TempDir(), "config.json")
			if err := os.WriteFile(path, []byte(block), 0o600); err != nil {
				t.Fatal(err)
			}
			loader := config.NewLoader(config.Path(path), nil)
			if strings.Contains(block, `"url": `) { // an entry for the service, in a client's file
				loader = loader.WithRemotes()
			}
			file, err := loader.Load()
			if err != nil {
				t.Fatalf("%s: %v", document, err)
			}
			if len(file.Problems) > 0 {
				t.Errorf("%s: %v", document, file.Problems)
			}
			if strings.Contains(block, `"url": `) {
				continue
			}
			if _, err := config.NewExpander(env).Expand(file); err != nil {
				t.Errorf("%s: %v", document, err)
			}
			read++
		}
	}
	if read < 3 {
		t.Errorf("only %d configs are shown", read)
	}
}

var link = regexp.MustCompile(`\]\(([^)#]+)\)`)

func TestDocumentedLinksLeadSomewhere(t *testing.T) {
	for _, document := range append(documents(t), "../CHANGELOG.md") {
		text, err := os.ReadFile(document)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range link.FindAllStringSubmatch(string(text), -1) {
			if strings.Contains(match[1], "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(document), match[1])); err != nil {
				t.Errorf("%s: %v", document, err)
			}
		}
	}
}

func TestTheDocumentedFaultIsATest(t *testing.T) {
	source, err := os.ReadFile("simple/fault_test.go")
	if err != nil {
		t.Fatal(err)
	}
	shown := blocks(t, "../docs/contributing.md", "go")
	if len(shown) != 1 {
		t.Fatalf("%d snippets", len(shown))
	}
	if body := strings.ReplaceAll("\t\t"+strings.TrimSpace(shown[0]), "\n", "\n\t\t"); !strings.Contains(string(source), body) {
		t.Errorf("no test has the snippet of docs/contributing.md:\n%s", body)
	}
}
