package router

import (
	"iter"
	"slices"
	"strings"
	"time"

	"mcp-aggregator/modules/registry"
	"mcp-aggregator/modules/servers"
	"mcp-aggregator/modules/sessions"
	"mcp-aggregator/modules/wire"
)

// Query says which tool is meant.
type Query struct {
	// Name is the tool's name: a client's, if Naming is given; otherwise server.tool,
	// or the server's own name for it.
	Name string
	// Naming is how tools are called towards the client.
	Naming *registry.Naming
	// Server is the id of the tool's server; empty when it is not known.
	Server string
}

// target is where a call goes.
type target struct {
	server servers.Server
	state  *sessions.State
	entry  *registry.Entry // nil while the server is not connected
}

func (t *target) unavailable() error {
	return &servers.UnavailableError{Server: t.server.Name, Status: t.state.Status, Reason: t.state.Reason}
}

// waitedFor is the error of a call that has waited long enough. The server is connecting.
func (t *target) waitedFor(patience time.Duration) error {
	return &servers.UnavailableError{
		Server: t.server.Name, Status: t.state.Status, Reason: t.state.Reason,
		Waited: patience, Next: max(0, time.Until(t.state.Next)),
	}
}

// repeatable reports whether the tool may be executed twice: its server says so (MCP
// 2025-11-25, schema, ToolAnnotations).
func (t *target) repeatable() bool {
	hints := wire.Member(t.entry.Definition, "annotations").Of(t.entry.Definition)
	says := func(hint string) bool { return string(wire.Member(hints, hint).Of(hints)) == "true" }
	return says("idempotentHint") || says("readOnlyHint")
}

// resolve finds the tool, or else the server that it could be of. A server that was
// connected between the look at the tools and that at the servers has the tool by now.
func (r *RequestRouter) resolve(q Query) (*target, error) {
	for {
		snapshot := r.tools.Snapshot()
		t, err := r.resolveIn(snapshot, q)
		if err == nil || r.tools.Snapshot() == snapshot {
			return t, err
		}
	}
}

func (r *RequestRouter) resolveIn(snapshot *registry.Snapshot, q Query) (*target, error) {
	if q.Server != "" {
		return r.resolveAt(snapshot, q)
	}
	naming := q.Naming
	if naming == nil {
		naming = r.plain
	}
	if entry, ok := snapshot.View(naming).Lookup([]byte(q.Name)); ok {
		return r.targetOf(entry, q)
	}
	if t := r.owner(naming, q.Name); t != nil {
		return t, nil
	}
	if q.Naming == nil {
		return r.resolveOwn(snapshot, q)
	}
	return nil, r.unknown(q.Name, naming, snapshot.View(naming).Nearest(q.Name))
}

// resolveAt finds a tool of one server.
func (r *RequestRouter) resolveAt(snapshot *registry.Snapshot, q Query) (*target, error) {
	s, err := r.registry.Server(q.Server)
	if err != nil {
		return nil, err
	}
	view := snapshot.View(r.plain)
	entry, ok := view.Lookup([]byte(s.Name + "." + q.Name))
	if !ok && strings.HasPrefix(q.Name, s.Name+".") {
		entry, ok = view.Lookup([]byte(q.Name))
	}
	t := r.at(s)
	switch {
	case t == nil:
		return nil, servers.ErrUnknown
	case ok:
		t.entry = entry
	case t.state.Live != nil:
		return nil, r.unknown(q.Name, r.plain, registry.Nearest(q.Name, listed(snapshot, s.Name)))
	}
	return t, nil
}

// listed yields the tools of one server.
func listed(snapshot *registry.Snapshot, server string) iter.Seq[registry.NamedTool] {
	return func(yield func(registry.NamedTool) bool) {
		for _, e := range snapshot.Entries() {
			if e.Server == server && !yield(registry.NamedTool{Name: e.Canonical, OriginalName: e.OriginalName}) {
				return
			}
		}
	}
}

// Unknown returns the error for a name that none of the tools has, which are known by
// their plain names.
func (r *RequestRouter) Unknown(name string, tools iter.Seq[registry.NamedTool]) error {
	return r.unknown(name, r.plain, registry.Nearest(name, tools))
}

func (r *RequestRouter) unknown(name string, naming *registry.Naming, nearest []string) error {
	noServer := naming.Prefixed(name) && !slices.ContainsFunc(r.registry.Servers(), func(s servers.Server) bool {
		return naming.MayOwn(s.Name, name)
	})
	return &servers.UnknownToolError{Name: name, Nearest: nearest, Hint: registry.UnknownNameHint(nearest, noServer)}
}

// resolveOwn finds a tool by its server's own name for it.
func (r *RequestRouter) resolveOwn(snapshot *registry.Snapshot, q Query) (*target, error) {
	var found []*registry.Entry
	for _, entry := range snapshot.Entries() {
		if entry.OriginalName == q.Name {
			found = append(found, entry)
		}
	}
	switch len(found) {
	case 0:
		return nil, r.unknown(q.Name, r.plain, snapshot.View(r.plain).Nearest(q.Name))
	case 1:
		return r.targetOf(found[0], q)
	}
	e := &servers.AmbiguousError{Name: q.Name}
	for _, entry := range found {
		e.Candidates = append(e.Candidates, entry.Canonical)
	}
	return nil, e
}

func (r *RequestRouter) targetOf(entry *registry.Entry, q Query) (*target, error) {
	s, err := r.registry.Named(entry.Server)
	if err == nil {
		if t := r.at(s); t != nil {
			t.entry = entry
			return t, nil
		}
	}
	return nil, &servers.UnknownToolError{Name: q.Name} // it was renamed or removed just now
}

// owner is the server that is not connected and could have a tool of that name; nil
// if there is none.
func (r *RequestRouter) owner(naming *registry.Naming, name string) *target {
	for _, s := range r.registry.Servers() {
		if !naming.MayOwn(s.Name, name) {
			continue
		}
		if t := r.at(s); t != nil && t.state.Live == nil {
			return t
		}
	}
	return nil
}

func (r *RequestRouter) at(s servers.Server) *target {
	if state := r.sessions.State(s.ID); state != nil {
		return &target{server: s, state: state}
	}
	return nil
}
