package storetest

import (
	"context"
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mcp-aggregator/modules/servers"
)

// modelBased compares a store with a model in memory, after random operations in any
// order.
func modelBased() contract[servers.Store] {
	return contract[servers.Store]{
		"a store agrees with the model": func(t *testing.T, s servers.Store) {
			rapid.Check(t, func(t *rapid.T) {
				empty(t, s)
				m := &model{store: s, tools: map[string][]servers.Tool{}, events: map[string][]servers.Event{}}
				t.Repeat(map[string]func(*rapid.T){
					"": m.check, "create": m.create, "update": m.update, "replace": m.replace, "delete": m.delete,
				})
			})
		},
	}
}

// empty deletes all records.
func empty(t *rapid.T, s servers.Store) {
	t.Helper()
	for _, r := range storedServers(t, s) {
		if err := s.Delete(context.Background(), r.ID); err != nil {
			t.Fatalf("delete: %v", err)
		}
	}
}

// model is what the store should hold.
type model struct {
	store  servers.Store
	all    []servers.Server
	tools  map[string][]servers.Tool
	events map[string][]servers.Event // newest first
}

func name() *rapid.Generator[string] { return rapid.SampledFrom([]string{"a", "b", "c", "d"}) }

// drawID returns the index and the id of a record, or -1 and an unknown id.
func (m *model) drawID(t *rapid.T) (place int, id string) {
	place = rapid.IntRange(-1, len(m.all)-1).Draw(t, "place")
	if place < 0 {
		return place, rapid.SampledFrom(unknownIDs()).Draw(t, "stranger")
	}
	return place, m.all[place].ID
}

func (m *model) nameTaken(name, by string) bool {
	return slices.ContainsFunc(m.all, func(r servers.Server) bool { return r.Name == name && r.ID != by })
}

// create creates a record.
func (m *model) create(t *rapid.T) {
	r := fullServer(name().Draw(t, "name"))
	r.Description = rapid.String().Filter(isText).Draw(t, "description")
	err := m.store.Create(context.Background(), r)
	expect(t, err, m.nameTaken(r.Name, ""), servers.ErrNameTaken)
	if err == nil {
		m.all = append(m.all, r)
	}
}

func isText(s string) bool { return !slices.Contains([]byte(s), 0) }

// update changes a record, or leaves it unchanged.
func (m *model) update(t *rapid.T) {
	place, id := m.drawID(t)
	to := name().Draw(t, "name")
	count := rapid.IntRange(0, 2).Draw(t, "count")
	fails := rapid.IntRange(0, 9).Draw(t, "fails") == 0
	events := rapid.SliceOfN(rapid.Custom(event), 0, 2).Draw(t, "events")
	refused := errors.New("refused")
	after, err := m.store.Update(context.Background(), id, func(r *servers.Server) error {
		if fails {
			return refused
		}
		r.Name, r.ToolCount = to, count
		return nil
	}, events...)
	switch {
	case place < 0:
		expect(t, err, true, servers.ErrUnknown)
	case fails:
		expect(t, err, true, refused)
	case m.nameTaken(to, id):
		expect(t, err, true, servers.ErrNameTaken)
	default:
		expect(t, err, false, nil)
		m.all[place].Name, m.all[place].ToolCount = to, count
		equal(t, after, m.all[place])
		m.addEvents(id, events)
	}
}

func event(t *rapid.T) servers.Event {
	return servers.Event{
		Kind:    rapid.SampledFrom([]servers.EventKind{servers.EventConnected, servers.EventDisconnected, servers.EventError, servers.EventReconnected}).Draw(t, "kind"),
		Details: rapid.String().Filter(isText).Draw(t, "details"), At: timeAt(rapid.IntRange(0, 59).Draw(t, "second")),
	}
}

func (m *model) addEvents(id string, events []servers.Event) {
	for _, e := range events {
		e.Server = id
		m.events[id] = append([]servers.Event{e}, m.events[id]...)
	}
}

// replace replaces the tools of a server.
func (m *model) replace(t *rapid.T) {
	place, id := m.drawID(t)
	tools := rapid.SliceOfN(rapid.Custom(anyTool), 0, 4).Draw(t, "tools")
	err := m.store.ReplaceTools(context.Background(), id, tools)
	expect(t, err, place < 0, servers.ErrUnknown)
	if err == nil {
		m.tools[id] = tools
	}
}

func anyTool(t *rapid.T) servers.Tool {
	tool := servers.Tool{
		Name:        rapid.String().Filter(isText).Draw(t, "tool"),
		Description: rapid.String().Filter(isText).Draw(t, "description"),
		Definition:  rapid.SliceOfN(rapid.Byte(), 1, -1).Draw(t, "definition"),
		Classified:  rapid.Bool().Draw(t, "classified"),
	}
	if rapid.Bool().Draw(t, "has a schema") {
		tool.InputSchema = rapid.SliceOfN(rapid.Byte(), 1, -1).Draw(t, "schema")
	}
	return tool
}

// delete deletes a record.
func (m *model) delete(t *rapid.T) {
	place, id := m.drawID(t)
	err := m.store.Delete(context.Background(), id)
	expect(t, err, place < 0, servers.ErrUnknown)
	if err == nil {
		m.all = slices.Delete(m.all, place, place+1)
		delete(m.tools, id)
		delete(m.events, id)
	}
}

// check compares all that is stored.
func (m *model) check(t *rapid.T) {
	var tools []servers.Tool
	for _, r := range m.all {
		for _, tool := range m.tools[r.ID] {
			tool.Server, tool.Namespaced = r.ID, r.Name+"."+tool.Name
			tools = append(tools, tool)
		}
		equal(t, history(t, m.store, r.ID, maxEvents), m.events[r.ID])
	}
	equal(t, storedTools(t, m.store), tools)
	equal(t, append([]servers.Server{}, storedServers(t, m.store)...), append([]servers.Server{}, m.all...))
}

func expect(t *rapid.T, err error, wrong bool, want error) {
	t.Helper()
	if wrong && !errors.Is(err, want) || !wrong && err != nil {
		t.Fatalf("got %v, want %v (%t)", err, want, wrong)
	}
}
