package registry_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"pgregory.net/rapid"

	"mcp-aggregator/modules/registry"
)

// describeDifference formats a difference.
func describeDifference(d registry.Difference) string {
	var words []string
	for _, key := range d.ServersAdded {
		words = append(words, "+["+key+"]")
	}
	for _, key := range d.ServersRemoved {
		words = append(words, "-["+key+"]")
	}
	for sign, entries := range map[string][]*registry.Entry{"+": d.Added, "-": d.Removed, "~": d.Changed} {
		for _, e := range entries {
			words = append(words, sign+e.Name)
		}
	}
	slices.Sort(words)
	return strings.Join(words, " ")
}

func TestAFollowerSeesHowTheToolsHaveChanged(t *testing.T) {
	r := newRegistry(":", "a", "b")
	changes := r.Subscribe(t.Context())
	for _, test := range []struct {
		name   string
		change func()
		want   string
	}{
		{"nothing", func() {}, ""},
		{"the first tools of a server", func() { r.ReplaceTools("a", definitionsNamed(`"t"`, `"u"`)) }, "+[a] +a:t +a:u"},
		{"the same tools again", func() { r.ReplaceTools("a", definitionsNamed(`"t"`, `"u"`)) }, ""},
		{"another order of them", func() { r.ReplaceTools("a", definitionsNamed(`"u"`, `"t"`)) }, ""},
		{"a tool that comes, and one that goes", func() { r.ReplaceTools("a", definitionsNamed(`"u"`, `"v"`)) }, "+a:v -a:t"},
		{"another definition", func() { r.ReplaceTools("a", definitionsOf(`{"name":"u","title":"U"}`, `{"name":"v"}`)) }, "~a:u"},
		{"several changes", func() { r.ReplaceTools("b", definitionsNamed(`"x"`)); r.RemoveTools("a") }, "+[b] +b:x -[a] -a:u -a:v"},
		{"a server that comes and goes", func() { r.ReplaceTools("a", definitionsNamed(`"t"`)); r.RemoveTools("a") }, ""},
		{"another name of the server", func() { r.RenameServer("b", "c") }, "+[c] +c:x -[b] -b:x"},
		{"a name that another server takes", func() {
			r.SetOrder(registry.Order{"c", "c:d"})
			r.ReplaceTools("c:d", definitionsNamed(`"y"`))
			r.ReplaceTools("c", definitionsNamed(`"d:y"`))
		}, "+c:d:y -c:x"},
		{"no servers", func() { r.SetOrder(nil) }, "-[c] -c:d:y"},
	} {
		test.change()
		snapshot, d := changes.Next()
		if got := describeDifference(d); got != test.want || d.IsZero() != (test.want == "") {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
		if snapshot != r.Snapshot() || hasChanged(changes) {
			t.Errorf("%s: the newest snapshot is still to be seen", test.name)
		}
	}
}

func TestEachFollowerHasASignalOfItsOwn(t *testing.T) {
	r := newRegistry(":", "a")
	r.ReplaceTools("a", definitionsNamed(`"t"`))
	first, second := r.Subscribe(t.Context()), r.Subscribe(t.Context())
	for name, changes := range map[string]*registry.Subscription{"first": first, "second": second} {
		if !hasChanged(changes) {
			t.Errorf("the %s has no signal for the tools that were there", name)
		}
		if _, d := changes.Next(); describeDifference(d) != "+[a] +a:t" {
			t.Errorf("the %s sees %s", name, describeDifference(d))
		}
	}
	r.ReplaceTools("a", definitionsNamed(`"u"`))
	if _, d := first.Next(); describeDifference(d) != "+a:u -a:t" || hasChanged(first) {
		t.Error(describeDifference(d))
	}
	r.ReplaceTools("a", definitionsNamed(`"v"`))
	if _, d := second.Next(); describeDifference(d) != "+a:v -a:t" {
		t.Error(describeDifference(d))
	}
	if _, d := first.Next(); describeDifference(d) != "+a:v -a:u" {
		t.Error(describeDifference(d))
	}
}

func TestASubscriptionEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRegistry(":", "a")
		ctx, cancel := context.WithCancel(t.Context())
		ended, goesOn := r.Subscribe(ctx), r.Subscribe(t.Context())
		cancel()
		synctest.Wait()
		r.ReplaceTools("a", definitionsNamed(`"t"`))
		if hasChanged(ended) || !hasChanged(goesOn) {
			t.Error("the wrong one is signaled")
		}
	})
}

func TestAHashIsOfTheDefinitionAsTheServerWroteIt(t *testing.T) {
	hash := func(key, separator, definition string) string {
		r := newRegistry(separator, key)
		r.ReplaceTools(key, definitionsOf(definition))
		return fmt.Sprintf("%x", r.Snapshot().Entries()[0].Hash())
	}
	const want = "3647a67649228b62fe3d139c47f7a3c673c31ce57da824082b6654fc0b15751f" // sha256sum of {"name":"t"}
	if got := hash("a", ":", `{"name":"t"}`); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := hash("server", "__", `{"name":"t"}`); got != want {
		t.Errorf("%s under another name, want %s", got, want)
	}
	if hash("a", ":", `{"name": "t"}`) == want {
		t.Error("white space makes no difference")
	}
}

// Applying all differences in order must yield the tools of the snapshot.
func TestDifferencesAddUpToTheSnapshot(t *testing.T) {
	keys := []string{"a", "b", "a:b"}
	definition := rapid.SampledFrom([]string{
		`{"name":"t"}`, `{"name":"u"}`, `{"name":"b:t"}`, `{"name":"t","title":"T"}`, `{"name":"u","x":1}`, `7`,
	})
	rapid.Check(t, func(t *rapid.T) {
		r := newRegistry(":", keys...)
		changes := r.Subscribe(t.Context())
		have, servers := map[string]string{}, map[string]bool{}
		for range 20 {
			for range rapid.IntRange(1, 3).Draw(t, "changes") {
				key := rapid.SampledFrom(keys).Draw(t, "server")
				r.ReplaceTools(key, definitionsOf(rapid.SliceOfN(definition, 0, 4).Draw(t, "tools")...))
			}
			snapshot, d := changes.Next()
			applyDifference(t, d, have, servers)
			want, wantServers := map[string]string{}, map[string]bool{}
			for _, e := range snapshot.Entries() {
				want[e.Name], wantServers[e.Server] = string(e.Definition), true
			}
			if !maps.Equal(have, want) || !maps.Equal(servers, wantServers) {
				t.Fatalf("%v %v, want %v %v", have, servers, want, wantServers)
			}
		}
	})
}

func applyDifference(t *rapid.T, d registry.Difference, have map[string]string, servers map[string]bool) {
	for _, key := range d.ServersRemoved {
		delete(servers, key)
	}
	for _, key := range d.ServersAdded {
		servers[key] = true
	}
	for _, e := range d.Removed {
		delete(have, e.Name)
	}
	for _, e := range d.Changed {
		if _, there := have[e.Name]; !there {
			t.Fatalf("%s has changed and was not there", e.Name)
		}
		have[e.Name] = string(e.Definition)
	}
	for _, e := range d.Added {
		have[e.Name] = string(e.Definition)
	}
}
