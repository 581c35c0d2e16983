package config_test

import (
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"mcp-aggregator/config"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// tb is what *testing.T and *rapid.T have in common.
type tb interface {
	Helper()
	Fatalf(format string, args ...any)
}

// inFolder creates a working directory, so that the paths in messages are short.
func inFolder(t *testing.T) (folder string) {
	t.Helper()
	t.Chdir(t.TempDir())
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

func write(t tb, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatalf("%v", err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatalf("%v", err)
	}
}

// resolve runs the pipeline on a file with that text.
func resolve(t tb, path, text string, environ ...string) (*config.McpConfig, error) {
	t.Helper()
	write(t, path, text)
	file, err := config.NewLoader(config.Path(path), nil).Load()
	if err != nil {
		return nil, err
	}
	return config.NewExpander(config.NewEnv(environ)).Expand(file)
}

func mustResolve(t tb, path, text string, environ ...string) *config.McpConfig {
	t.Helper()
	resolved, err := resolve(t, path, text, environ...)
	if err != nil {
		t.Fatalf("unexpected problems:\n%v", err)
	}
	return resolved
}

// wantProblems compares the whole message and checks that every problem is wrapped in
// err and has that code.
func wantProblems(t tb, err error, code config.Code, want string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no problem; want:\n%s", want)
	}
	if err.Error() != want {
		t.Fatalf("problems:\n%s\nwant:\n%s", err, want)
	}
	for _, problem := range problemsOf(t, err) {
		if problem.Code != code {
			t.Fatalf("code %q of %q, want %q", problem.Code, problem, code)
		}
	}
}

// refusal is the text of a file and the whole message that it must produce.
type refusal struct{ name, text, want string }

func runRefusals(t *testing.T, code config.Code, tests []refusal) {
	t.Helper()
	inFolder(t)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := resolve(t, "c.json", test.text)
			wantProblems(t, err, code, test.want)
		})
	}
}

// oneServer returns a file with one entry, whose members begin on line 2.
func oneServer(members string) string {
	return "{\"mcpServers\": {\"a\": {\n" + members + "\n}}}"
}
