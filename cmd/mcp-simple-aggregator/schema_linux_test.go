package main_test

import (
	"errors"
	"os/exec"
	"path/filepath"
	"testing"

	"mcp-aggregator/testutil"
)

func TestTheJSONOfCheckIsAsItsSchemaSays(t *testing.T) {
	t.Parallel()
	screens, err := filepath.Abs("testdata/screens")
	noError(t, err)
	tools := `["-tools","@` + filepath.ToSlash(filepath.Join(screens, "github.json")) + `"]`
	tests := map[string]struct {
		servers string
		args    []string
	}{
		"no servers":                     {``, nil},
		"servers that run":               {`"a":{"command":"fakechild"},"b":{"command":"fakechild"}`, nil},
		"servers that failed":            {`"a":{"command":"no-such-command"},"b":{"command":"fakechild","args":["-when","initialize","-exit","3","-stderr","no database"]}`, nil},
		"findings":                       {`"a":{"command":"fakechild","args":["-offer","x y,x_y"]},"b":{"command":"fakechild","args":["-offer","x y"]}`, nil},
		"names that a client sees":       {`"a.b":{"command":"fakechild","args":["-offer","c"]}`, []string{"--client", "vscode"}},
		"names with a separator":         {`"a.b":{"command":"fakechild","args":["-offer","c"]}`, []string{"--separator", "/"}},
		"tools and servers left out":     {`"a":{"command":"fakechild"},"b":{"command":"fakechild","disabled":true},"c":{}`, []string{"--only", "a,b", "--deny", "*"}},
		"a wrong configuration":          {`"a":{"command":7},"b":{"command":"${NO_SUCH_VARIABLE}"}`, nil},
		"a list that is no line of JSON": {`"a":{"command":"fakechild","args":` + tools + `}`, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := writeConfig(t, t.TempDir(), test.servers)
			cmd := exec.CommandContext(t.Context(), "mcp-simple-aggregator", append([]string{"check", "--json", "--config", config}, test.args...)...)
			cmd.Env = environ(testutil.Mark(t))
			out, err := cmd.Output()
			if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
				t.Fatal(err)
			}
			testutil.Record(string(out))
			testutil.Conforms(t, "../../docs/check.schema.json", out)
		})
	}
}
