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

// Query identifies a tool.
type Query struct {
	// Name is the tool's name: as the client sees it, if Naming is set; otherwise
	// server.tool, or the server's original name.
	Name string
	// Naming is how the client sees the tools; nil for callers that are not MCP clients.
	Naming *registry.Naming
	// Server is the id of the tool's server; empty if unknown.
	Server string
}

// target is the tool and server that a Query resolves to.
type target struct {
	server servers.Server
	state  *sessions.State
	entry  *registry.Entry // nil while the server is not connected
}

// unavailableError returns the error for a server that is neither connected nor
// connecting.
func (t *target) unavailableError() error {
	return &servers.UnavailableError{Server: t.server.Name, Status: t.state.Status, Reason: t.state.Reason}
}

// waitedError returns the error of a call that has waited too long for a connecting
// server.
func (t *target) waitedError(waited time.Duration) error {
	return &servers.UnavailableError{
		Server: t.server.Name, Status: t.state.Status, Reason: t.state.Reason,
		Waited: waited, Next: max(0, time.Until(t.state.Next)),
	}
}

// repeatable reports whether the tool may be executed twice, according to its annotations
// (MCP 2025-11-25, schema, ToolAnnotations).
func (t *target) repeatable() bool {
	hints := wire.Member(t.entry.Definition, "annotations").Of(t.entry.Definition)
	says := func(hint string) bool { return string(wire.Member(hints, hint).Of(hints)) == "true" }
	return says("idempotentHint") || says("readOnlyHint")
}

// resolveTool finds the tool, or a server that could own it and is not connected. It
// repeats the search if the tools have changed meanwhile: the server may have connected
// after the look at the tools.
func (r *RequestRouter) resolveTool(q Query) (*target, error) {
	for {
		snapshot := r.tools.Snapshot()
		t, err := r.resolveInSnapshot(snapshot, q)
		if err == nil || r.tools.Snapshot() == snapshot {
			return t, err
		}
	}
}

// resolveInSnapshot is resolveTool for one snapshot.
func (r *RequestRouter) resolveInSnapshot(snapshot *registry.Snapshot, q Query) (*target, error) {
	if q.Server != "" {
		return r.resolveOnServer(snapshot, q)
	}
	naming := q.Naming
	if naming == nil {
		naming = r.dotted
	}
	if entry, ok := snapshot.View(naming).Lookup([]byte(q.Name)); ok {
		return r.targetOfEntry(entry, q)
	}
	if t := r.disconnectedOwner(naming, q.Name); t != nil {
		return t, nil
	}
	if q.Naming == nil {
		return r.resolveOriginalName(snapshot, q)
	}
	return nil, r.unknownToolError(q.Name, naming, snapshot.View(naming).Nearest(q.Name))
}

// resolveOnServer finds a tool of the server with the id q.Server.
func (r *RequestRouter) resolveOnServer(snapshot *registry.Snapshot, q Query) (*target, error) {
	s, err := r.servers.Server(q.Server)
	if err != nil {
		return nil, err
	}
	view := snapshot.View(r.dotted)
	entry, ok := view.Lookup([]byte(s.Name + "." + q.Name))
	if !ok && strings.HasPrefix(q.Name, s.Name+".") {
		entry, ok = view.Lookup([]byte(q.Name))
	}
	t := r.targetFor(s)
	switch {
	case t == nil:
		return nil, servers.ErrUnknown
	case ok:
		t.entry = entry
	case t.state.Live != nil:
		return nil, r.unknownToolError(q.Name, r.dotted, registry.Nearest(q.Name, toolsOfServer(snapshot, s.Name)))
	}
	return t, nil
}

// toolsOfServer yields the tools of one server.
func toolsOfServer(snapshot *registry.Snapshot, server string) iter.Seq[registry.NamedTool] {
	return func(yield func(registry.NamedTool) bool) {
		for _, e := range snapshot.Entries() {
			if e.Server == server && !yield(registry.NamedTool{Name: e.Canonical, OriginalName: e.OriginalName}) {
				return
			}
		}
	}
}

// UnknownToolError returns the error for a name that no tool has, with suggestions from
// the given tools.
func (r *RequestRouter) UnknownToolError(name string, tools iter.Seq[registry.NamedTool]) error {
	return r.unknownToolError(name, r.dotted, registry.Nearest(name, tools))
}

// unknownToolError tells of servers only if the naming shows them all.
func (r *RequestRouter) unknownToolError(name string, naming *registry.Naming, nearest []string) error {
	noServer := !naming.Filtered() && naming.Prefixed(name) && !slices.ContainsFunc(r.servers.Servers(), func(s servers.Server) bool {
		return naming.MayOwn(s.Name, name)
	})
	return &servers.UnknownToolError{Name: name, Nearest: nearest, Hint: registry.UnknownNameHint(nearest, noServer)}
}

// resolveOriginalName finds a tool by its original name, which must be unique.
func (r *RequestRouter) resolveOriginalName(snapshot *registry.Snapshot, q Query) (*target, error) {
	var found []*registry.Entry
	for _, entry := range snapshot.Entries() {
		if entry.OriginalName == q.Name {
			found = append(found, entry)
		}
	}
	switch len(found) {
	case 0:
		return nil, r.unknownToolError(q.Name, r.dotted, snapshot.View(r.dotted).Nearest(q.Name))
	case 1:
		return r.targetOfEntry(found[0], q)
	}
	e := &servers.AmbiguousError{Name: q.Name}
	for _, entry := range found {
		e.Candidates = append(e.Candidates, entry.Canonical)
	}
	return nil, e
}

// targetOfEntry returns the target for a tool.
func (r *RequestRouter) targetOfEntry(entry *registry.Entry, q Query) (*target, error) {
	s, err := r.servers.Named(entry.Server)
	if err == nil {
		if t := r.targetFor(s); t != nil {
			t.entry = entry
			return t, nil
		}
	}
	return nil, &servers.UnknownToolError{Name: q.Name} // the server was renamed or removed meanwhile
}

// disconnectedOwner returns a server that could own a tool of that name and is not
// connected; nil if there is none.
func (r *RequestRouter) disconnectedOwner(naming *registry.Naming, name string) *target {
	for _, s := range r.servers.Servers() {
		if !naming.MayOwn(s.Name, name) {
			continue
		}
		if t := r.targetFor(s); t != nil && t.state.Live == nil {
			return t
		}
	}
	return nil
}

// targetFor returns the target for a server without a tool yet; nil if the server has no
// session state.
func (r *RequestRouter) targetFor(s servers.Server) *target {
	if state := r.sessions.State(s.ID); state != nil {
		return &target{server: s, state: state}
	}
	return nil
}
