package service_test

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"mcp-aggregator/modules/child"
	"mcp-aggregator/testutil"
)

// crashing is a child with a tool die, which ends it, and a tool x, whose calls are counted.
func crashing(executed *atomic.Int32) testutil.Program {
	return testutil.Raw{Tools: `[{"name":"x"},{"name":"die"}]`, Handle: func(line, id string, out io.Writer) child.Exit {
		if strings.Contains(line, `"die"`) {
			return "exit status 3"
		}
		executed.Add(1)
		testutil.Say(out, `{"jsonrpc":"2.0","id":%s,"result":{"content":[]}}`, id)
		return ""
	}}.Run
}

func TestACrashedChildIsStartedAgain(t *testing.T) {
	var executed atomic.Int32
	s := start(t, testutil.Spawner{"a": crashing(&executed)})
	id := s.register("a", "STDIO", `{"command":"x"}`).ID
	s.await(id, "CONNECTED")
	problem := s.api().refused(http.StatusBadGateway, "a.die", `{}`)
	if problem.Server != "a" || !strings.Contains(problem.Detail, "unknown") {
		t.Errorf("the answer is %+v", problem)
	}
	const calls = 10
	var all sync.WaitGroup
	for range calls { // while there is no child
		all.Go(func() {
			if status := s.status(http.MethodPost, "/tools/call", `{"name":"a.x"}`); status != http.StatusOK {
				t.Errorf("it is answered with %d", status)
			}
		})
	}
	all.Wait()
	if executed.Load() != calls {
		t.Errorf("%d calls were executed %d times", calls, executed.Load())
	}
	s.recorded(id, "CONNECTED", "DISCONNECTED", "RECONNECT")
}

func TestAChildThatCannotBeStarted(t *testing.T) {
	s := start(t, testutil.Spawner{})
	id := s.register("a", "STDIO", `{"command":"no-such-command"}`).ID
	got := s.await(id, "ERROR")
	if !strings.Contains(got.Error, "not on its PATH") {
		t.Errorf("it is %+v", got)
	}
	problem := s.api().refused(http.StatusServiceUnavailable, "a.x", `{}`)
	if problem.Server != "a" || problem.ServerStatus != "ERROR" {
		t.Errorf("it is refused with %+v", problem)
	}
	s.recorded(id, "ERROR")
}
