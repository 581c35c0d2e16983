package catalog

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"mcp-aggregator/modules/registry"
	"mcp-aggregator/modules/servers"
	"mcp-aggregator/modules/wire"
)

// ServerWatcher notifies of changes of the servers.
type ServerWatcher interface {
	// Watch adds a watcher of the records.
	Watch(w servers.Watcher)
}

// ToolAggregator stores the tools of all servers, and lists those of connected ones.
type ToolAggregator struct {
	store   servers.ToolStore
	cluster servers.Cluster
	tools   *registry.ToolRegistry
	log     *slog.Logger
	changes atomic.Uint64 // counts changes of what is stored

	mu    sync.Mutex
	order []string          // ids in the order of registration
	names map[string]string // by id
}

// NewToolAggregator returns an aggregator that stores tools in store and lists those of
// connected servers in tools.
func NewToolAggregator(
	records ServerWatcher, store servers.ToolStore, cluster servers.Cluster, tools *registry.ToolRegistry, log *slog.Logger,
) *ToolAggregator {
	a := &ToolAggregator{store: store, cluster: cluster, tools: tools, log: log, names: make(map[string]string)}
	records.Watch(a)
	return a
}

// Changed implements servers.Watcher: the namespace of a server follows its name.
func (a *ToolAggregator) Changed(s servers.Server) {
	a.mu.Lock()
	defer a.mu.Unlock()
	before, known := a.names[s.ID]
	a.names[s.ID] = s.Name
	switch {
	case !known:
		a.order = append(a.order, s.ID)
		a.tools.SetOrder(a.serverOrder())
	case before != s.Name:
		a.tools.RenameServer(before, s.Name)
	default:
		return
	}
	a.changes.Add(1)
}

// Removed implements servers.Watcher.
func (a *ToolAggregator) Removed(s servers.Server) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.names, s.ID)
	a.order = slices.DeleteFunc(a.order, func(id string) bool { return id == s.ID })
	a.tools.SetOrder(a.serverOrder())
	a.changes.Add(1)
}

// serverOrder returns the names of all servers in order. The caller holds the lock.
func (a *ToolAggregator) serverOrder() registry.Order {
	keys := make(registry.Order, 0, len(a.order))
	for _, id := range a.order {
		keys = append(keys, a.names[id])
	}
	return keys
}

// Set replaces the tools of the server with that id by definitions, the raw elements of
// its tools/list, and returns how many it lists. Tools that cannot be stored, or not
// before ctx ends, are still listed.
func (a *ToolAggregator) Set(ctx context.Context, id string, definitions [][]byte) int {
	name, count := a.publishTools(id, definitions)
	if name == "" {
		return 0 // the server was removed concurrently
	}
	err := a.store.ReplaceTools(ctx, id, storedTools(id, name, definitions))
	a.changes.Add(1)
	if err != nil && !errors.Is(err, servers.ErrUnknown) {
		a.log.Error("tools not stored", slog.String("server", name), slog.String("reason", err.Error()))
	}
	return count
}

func (a *ToolAggregator) publishTools(id string, definitions [][]byte) (name string, count int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if name = a.names[id]; name != "" {
		count = a.tools.ReplaceTools(name, definitions)
	}
	return name, count
}

// Hide removes the tools of the server with that id from the list. They stay stored.
func (a *ToolAggregator) Hide(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if name := a.names[id]; name != "" {
		a.tools.RemoveTools(name)
	}
}

// Version changes whenever the result of Tools may change. It changes every second if
// other replicas can change it.
func (a *ToolAggregator) Version() uint64 {
	version := a.changes.Load()
	if a.cluster.Changes() != nil {
		version += uint64(time.Now().Unix()) << 32
	}
	return version
}

// Tools returns the stored tools of all servers, connected or not.
func (a *ToolAggregator) Tools(ctx context.Context) ([]servers.Tool, error) {
	return a.store.Tools(ctx)
}

// storedTools returns the tools to store. Of two with one name it keeps the first, as the
// list does.
func storedTools(id, server string, definitions [][]byte) []servers.Tool {
	tools := make([]servers.Tool, 0, len(definitions))
	seen := make(map[string]bool, len(definitions))
	for _, definition := range definitions {
		name := toolName(definition)
		if name == "" || seen[name] {
			continue
		}
		seen[name] = true
		description, _ := stringMember(definition, "description")
		tools = append(tools, servers.Tool{
			Server: id, Name: name, Namespaced: server + "." + name, Description: description,
			InputSchema: wire.Member(definition, "inputSchema").Of(definition), Definition: definition,
		})
	}
	return tools
}

// toolName returns the name of a tool. It is empty if the definition has none, or two.
func toolName(definition []byte) string {
	names := 0
	for raw := range wire.Members(definition) {
		if member, _ := wire.Unquote(raw); member == "name" {
			names++
		}
	}
	if names != 1 {
		return ""
	}
	name, _ := stringMember(definition, "name")
	return name
}

func stringMember(definition []byte, member string) (string, bool) {
	return wire.Unquote(wire.Member(definition, member).Of(definition))
}
