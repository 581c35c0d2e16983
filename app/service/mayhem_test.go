package service_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"

	"mcp-aggregator/modules/child"
	"mcp-aggregator/testutil"
)

// Many administrators and callers use few servers at once. The service never responds
// with an internal error.
func TestConcurrentAdministrationNeverFailsTheService(t *testing.T) {
	raw := testutil.Raw{Tools: `[{"name":"x"}]`, Handle: func(_, id string, out io.Writer) child.Exit {
		testutil.Say(out, `{"jsonrpc":"2.0","id":%s,"result":{}}`, id)
		return ""
	}}
	programs := testutil.Spawner{}
	for i := range 4 {
		programs[fmt.Sprint("s", i)] = raw.Run
	}
	s := start(t, programs)
	statuses := make(map[int]int)
	var mu sync.Mutex
	var work sync.WaitGroup
	for seed := range uint64(8) {
		work.Go(func() {
			random := rand.New(rand.NewPCG(seed, 1))
			for range 60 {
				status, text := s.action(random)
				mu.Lock()
				statuses[status]++
				mu.Unlock()
				if status == http.StatusInternalServerError || status == 0 {
					t.Errorf("%d %s", status, text)
				}
			}
		})
	}
	work.Wait()
	t.Logf("%v", statuses)
	for _, wanted := range []int{http.StatusOK, http.StatusCreated, http.StatusNoContent, http.StatusConflict} {
		if statuses[wanted] == 0 {
			t.Errorf("nothing was answered with %d", wanted)
		}
	}
}

// action is one thing that an administrator or caller does to a server.
func (s *running) action(random *rand.Rand) (status int, text string) {
	name := fmt.Sprint("s", random.IntN(4))
	path := "/aggregator/servers/" + s.id(name)
	switch random.IntN(7) {
	case 0, 1:
		return s.rest(http.MethodPost, "/aggregator/servers", `{"name":"`+name+`","transport_type":"STDIO","connection_config":{"command":"`+name+`"}}`)
	case 2:
		return s.rest(http.MethodPatch, path, fmt.Sprintf(`{"name":"s%d"}`, random.IntN(4)))
	case 3:
		return s.rest(http.MethodPost, path+"/connect", "")
	case 4:
		return s.rest(http.MethodPost, path+"/disconnect", "")
	case 5:
		return s.rest(http.MethodDelete, path, "")
	default:
		return s.rest(http.MethodPost, "/tools/call", `{"name":"`+name+`.x"}`)
	}
}
