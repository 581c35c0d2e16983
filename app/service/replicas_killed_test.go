package service_test

import (
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"mcp-aggregator/testutil"
)

// process is a service in a process of its own.
type process struct {
	*running

	cmd *exec.Cmd
}

var listeningAt = regexp.MustCompile(`listening at (http://[^:]+:\d+)`)

func buildProgram(t *testing.T) string {
	t.Helper()
	return testutil.Build(t, "mcp-aggregator/cmd/mcp-aggregator")
}

// serve runs the program.
func serve(t *testing.T, program, database string) *process {
	t.Helper()
	p := &process{
		&running{t: t},
		exec.CommandContext(t.Context(), program, "serve", "--listen", "127.0.0.1:0", "--database", database),
	}
	p.cmd.Stderr = testutil.Printed(&p.log)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.kill)
	p.until("where it listens", func() bool {
		found := listeningAt.FindStringSubmatch(p.log.String())
		if found != nil {
			p.url = found[1]
		}
		return found != nil
	})
	return p
}

// kill sends SIGKILL.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // a second time it is gone
	_ = p.cmd.Wait()
	http.DefaultClient.CloseIdleConnections()
}

// This is one test, because building the programs takes most of the time.
func TestAKilledService(t *testing.T) {
	testutil.MarkAll(t)
	program, connection := buildProgram(t), plain(t, map[string]string{"command": sdkExample(t, "memory")})
	t.Run("is replaced by another replica", func(t *testing.T) {
		database := postgres.Database(t)
		killed := serve(t, program, database)
		id := killed.register("a", "STDIO", connection).ID
		killed.await(id, "CONNECTED")
		f := replicaSet{start(t, nil, at(database), withProcesses), start(t, nil, at(database), withProcesses)}
		f.all(id, "DISCONNECTED")
		killed.api().call("a.read_graph", `{}`)
		killed.kill()
		next, others := f.owner(id)
		next.api().call("a.read_graph", `{}`)
		if len(others) != 1 || others[0].get(id).Status != "DISCONNECTED" {
			t.Errorf("it runs at %d of the others, too", 1-len(others))
		}
	})
	// What it had stored is whole, and what was connected is again.
	t.Run("starts again", func(t *testing.T) {
		database := filepath.Join(t.TempDir(), "a.db")
		killed := serve(t, program, database)
		id := killed.register("a", "STDIO", connection).ID
		tools := killed.await(id, "CONNECTED").Tools
		killed.kill()
		s := start(t, nil, at(database), withProcesses)
		if again := s.await(id, "CONNECTED"); again.Name != "a" || again.Tools != tools {
			t.Errorf("it is %+v", again)
		}
		s.api().call("a.read_graph", `{}`)
	})
}
