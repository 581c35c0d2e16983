package registry_test

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mcp-aggregator/modules/registry"
)

func hasChanged(s *registry.Subscription) bool {
	select {
	case <-s.Changed():
		return true
	default:
		return false
	}
}

func TestChangesIncreaseTheVersionAndSignalOnce(t *testing.T) {
	r := newRegistry(":", "a", "b")
	changes := r.Subscribe(t.Context())
	if hasChanged(changes) || publicNames(r.Snapshot()) != "" {
		t.Fatal("changed before anything was set")
	}
	set := func(key string, raw ...string) func() {
		return func() { r.ReplaceTools(key, definitionsNamed(raw...)) }
	}
	tests := []struct {
		name    string
		change  func()
		changes bool
		want    string
	}{
		{"nothing is removed", func() { r.RemoveTools("a") }, false, ""},
		{"nothing is set", set("a"), false, ""},
		{"nothing of what is set can be listed", set("a", `7`), false, ""},
		{"tools are set", set("b", `"t"`, `"u"`), true, "b:t b:u"},
		{"those of another server, too", set("a", `"t"`), true, "a:t b:t b:u"},
		{"they are replaced", set("b", `"v"`), true, "a:t b:v"},
		{"several changes are one signal", func() { set("a", `"w"`)(); r.RemoveTools("b"); set("b", `"x"`)() }, true, "a:w b:x"},
		{"they are set to nothing", set("a"), true, "b:x"},
		{"they are removed", func() { r.RemoveTools("b") }, true, ""},
		{"they are removed again", func() { r.RemoveTools("b") }, false, ""},
	}
	for _, test := range tests {
		before := r.Snapshot().Version
		test.change()
		after := r.Snapshot()
		if grown, signaled := after.Version > before, hasChanged(changes); grown != test.changes || signaled != test.changes || hasChanged(changes) {
			t.Errorf("%s: version %d after %d, signaled %v", test.name, after.Version, before, signaled)
		}
		if got := publicNames(after); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

func TestTheSnapshotIsCurrentWhenAChangeIsSignaled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRegistry(":", "a")
		changes := r.Subscribe(t.Context())
		const sets = 200
		var writer sync.WaitGroup
		writer.Go(func() {
			for i := range sets {
				r.ReplaceTools("a", definitionsNamed(strconv.Quote(strconv.Itoa(i))))
			}
		})
		last := "a:" + strconv.Itoa(sets-1)
		for publicNames(r.Snapshot()) != last { // a signal before the snapshot would never be repeated
			<-changes.Changed()
		}
		writer.Wait()
	})
}

// slowHandler is a log handler that returns only after the registry has served other
// goroutines.
type slowHandler struct {
	slog.Handler

	others func()
	t      *testing.T
}

func (h slowHandler) Enabled(context.Context, slog.Level) bool { return true }

func (h slowHandler) Handle(context.Context, slog.Record) error {
	done := make(chan struct{})
	go func() {
		defer close(done)
		h.others()
	}()
	select {
	case <-done:
	case <-time.After(5 * time.Second):
		h.t.Error("a warning holds up other servers")
	}
	return nil
}

func TestLoggingDoesNotHoldTheLock(t *testing.T) {
	var r *registry.ToolRegistry
	others := func() { r.ReplaceTools("b", definitionsNamed(`"t"`)); r.Snapshot().View(plain).ToolsJSON() }
	r = registry.NewToolRegistry(registry.Order{"a", "b"}, ":", registry.Filter{}, slog.New(slowHandler{slog.DiscardHandler, others, t}))
	r.ReplaceTools("a", append(definitionsNamed(`"t"`, `"t"`), []byte("7")))
	if got := publicNames(r.Snapshot()); got != "a:t b:t" {
		t.Errorf("%q", got)
	}
}

func TestWritersDoNotLoseEachOthersTools(t *testing.T) {
	const tools, rounds = 100, 100
	keys := []string{"a", "b", "c", "d"}
	r := newRegistry(":", keys...)
	definitions := definitionsNamed(numberedNames(tools)...)
	var writers sync.WaitGroup
	start := make(chan struct{})
	for _, key := range keys {
		writers.Go(func() {
			<-start
			for range rounds {
				r.ReplaceTools(key, definitions)
				r.RemoveTools(key)
			}
			r.ReplaceTools(key, definitions)
		})
	}
	close(start)
	writers.Wait()
	changes := len(keys) * (2*rounds + 1)
	if s := r.Snapshot(); len(s.Entries()) != len(keys)*tools || s.Version != int64(changes) {
		t.Errorf("%d tools in version %d, want %d in %d", len(s.Entries()), s.Version, len(keys)*tools, changes)
	}
}

// numberedNames returns the raw names "0", "1" and so on.
func numberedNames(n int) (raw []string) {
	for i := range n {
		raw = append(raw, strconv.Quote(strconv.Itoa(i)))
	}
	return raw
}

func TestASnapshotNeverChanges(t *testing.T) {
	keys := []string{"a", "b", "c", "d"}
	r := newRegistry(":", keys...)
	for _, key := range keys {
		r.ReplaceTools(key, definitionsNamed(`"first"`, `"t"`))
	}
	first := r.Snapshot()
	was := namesText(first)
	var writers, readers sync.WaitGroup
	done := make(chan struct{})
	for _, key := range keys {
		writers.Go(func() {
			for i := range 200 {
				r.ReplaceTools(key, definitionsNamed(`"t`+strconv.Itoa(i%7)+`"`, `"u"`))
				if i%5 == 0 {
					r.RemoveTools(key)
				}
			}
		})
	}
	for range 4 {
		readers.Go(func() { checkVersionsGrow(t, r, done) })
	}
	writers.Wait()
	close(done)
	readers.Wait()
	if got := namesText(first); got != was {
		t.Errorf("the first was %s and is %s", was, got)
	}
}

// checkVersionsGrow takes snapshots until the writers are done. It checks that each is
// complete and does not change.
func checkVersionsGrow(t *testing.T, r *registry.ToolRegistry, done <-chan struct{}) {
	t.Helper()
	kept := []*registry.Snapshot{r.Snapshot()}
	texts := []string{namesText(kept[0])}
	for writing := true; writing; {
		select {
		case <-done:
			writing = false
		default:
		}
		s, last := r.Snapshot(), kept[len(kept)-1]
		if s.Version < last.Version {
			t.Errorf("version %d after %d", s.Version, last.Version)
		}
		if s != last {
			kept, texts = append(kept, s), append(texts, namesText(s))
		}
	}
	for i, s := range kept {
		if got := namesText(s); got != texts[i] {
			t.Errorf("version %d was %s and is %s", s.Version, texts[i], got)
		}
		for _, e := range s.Entries() {
			if found, ok := s.View(plain).Lookup([]byte(e.Name)); !ok || found != e {
				t.Errorf("%q is listed but leads to %v", e.Name, found)
			}
		}
	}
}

// namesText returns everything that a snapshot shows.
func namesText(s *registry.Snapshot) string {
	shown := fmt.Sprintf("%d %s", s.Version, s.View(plain).ToolsJSON())
	for _, e := range s.Entries() {
		shown += fmt.Sprintf(" %s %s %s %s", e.Name, e.Server, e.RawName, e.Definition)
	}
	return shown
}
