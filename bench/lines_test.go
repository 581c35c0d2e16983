package main_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	bench "mcp-aggregator/bench"
	"mcp-aggregator/bench/report"
)

// called returns the ids and names of the calls in lines.
func called(t *testing.T, lines []byte) (ids []int, names []string) {
	t.Helper()
	for line := range bytes.Lines(lines) {
		var call struct {
			ID     int
			Params struct{ Name string }
		}
		if err := json.Unmarshal(line, &call); err != nil {
			t.Fatalf("%v: %.200s", err, line)
		}
		ids, names = append(ids, call.ID), append(names, call.Params.Name)
	}
	return ids, names
}

func TestCallsGoToTheChildrenInTurn(t *testing.T) {
	lines := bench.Lines(report.Load{Payload: report.Text, Size: 100, Flight: 4}, 4, "s0:", "s1:", "s10:")
	const first = bench.FirstID
	for _, step := range []struct {
		id, count int
		ids       []int
		names     []string
	}{
		{first, 2, []int{first, first + 1}, []string{"s0:x100", "s1:x100"}},
		{first + 2, 1, []int{first + 2}, []string{"s10:x100"}},
		{first + 3, 1, []int{first + 3}, []string{"s0:x100"}},
		{first + 4, 4, []int{first + 4, first + 5, first + 6, first + 7}, []string{"s1:x100", "s10:x100", "s0:x100", "s1:x100"}},
	} {
		ids, names := called(t, lines(step.id, step.count))
		if diff := cmp.Diff(step.ids, ids) + cmp.Diff(step.names, names); diff != "" {
			t.Errorf("%d from %d: %s", step.count, step.id, diff)
		}
	}
}

func TestLargeCallsAreWrittenOneByOne(t *testing.T) {
	lines := bench.Lines(report.Load{Payload: report.Code, Size: 1_000_000, Flight: 64}, 64, "")
	ids, names := called(t, lines(bench.FirstID+7, 2))
	if diff := cmp.Diff([]int{bench.FirstID + 7, bench.FirstID + 8}, ids) + cmp.Diff([]string{"code1000000", "code1000000"}, names); diff != "" {
		t.Error(diff)
	}
}

func TestIDOf(t *testing.T) {
	for name, c := range map[string]struct {
		head string
		id   int
		fail bool
	}{
		"a result has its id":          {`{"jsonrpc":"2.0","id":12,"result":{`, 12, false},
		"a notification has none":      {`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`, 0, false},
		"an error is none":             {`{"jsonrpc":"2.0","id":12,"error":{`, 0, true},
		"a line cut within the id too": {`{"jsonrpc":"2.0","id":12`, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			if id, err := bench.IDOf([]byte(c.head)); id != c.id || (err != nil) != c.fail {
				t.Errorf("%d, %v", id, err)
			}
		})
	}
}
