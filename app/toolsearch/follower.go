package toolsearch

import (
	"context"
	"encoding/hex"
	"slices"
	"sync"

	"mcp-aggregator/modules/registry"
	"mcp-aggregator/modules/search"
	"mcp-aggregator/modules/wire"
)

// ServerInfo is what is known of a server beside its tools.
type ServerInfo struct {
	ID           string // where servers have one
	Title        string
	Description  string
	Instructions string
}

// ServerDescriber returns what is known of a server by its key. It does not block.
type ServerDescriber interface{ DescribeServer(key string) ServerInfo }

// Follower keeps the index of an engine in step with a registry.
type Follower struct {
	tools     *registry.ToolRegistry
	engine    *search.Engine
	describer ServerDescriber
	progress  *progress
	cancel    context.CancelFunc
	done      chan struct{}

	mu          sync.Mutex
	described   map[string]bool // keys of servers to index again
	redescribed chan struct{}   // is signaled when there are some
}

// NewFollower returns a follower that does nothing before Start.
func NewFollower(tools *registry.ToolRegistry, engine *search.Engine, describer ServerDescriber) *Follower {
	return &Follower{
		tools: tools, engine: engine, describer: describer,
		done: make(chan struct{}), described: make(map[string]bool), redescribed: make(chan struct{}, 1),
		progress: newProgress(),
	}
}

// Start begins to follow the registry.
func (f *Follower) Start(context.Context) error {
	ctx, cancel := context.WithCancel(context.Background())
	f.cancel = cancel
	go f.run(ctx) //nolint:contextcheck // Fx's context ends when Start returns
	return nil
}

// Stop ends it. Nothing in it blocks, so Stop needs no time of its context.
func (f *Follower) Stop(context.Context) error {
	if f.cancel != nil {
		f.cancel()
		<-f.done
	}
	return nil
}

// Redescribe indexes a server again whose [ServerInfo] has changed. It does not block.
func (f *Follower) Redescribe(key string) {
	f.mu.Lock()
	f.described[key] = true
	f.mu.Unlock()
	select {
	case f.redescribed <- struct{}{}:
	default:
	}
}

func (f *Follower) run(ctx context.Context) {
	defer close(f.done)
	changes := f.tools.Subscribe(ctx)
	f.index(changes.Next()) // a registry without tools signals nothing
	for {
		select {
		case <-changes.Changed():
			f.index(changes.Next())
		case <-f.redescribed:
			f.indexDescribed()
		case <-ctx.Done():
			return
		}
	}
}

// index indexes the servers whose tools have changed.
func (f *Follower) index(snapshot *registry.Snapshot, d registry.Difference) {
	defer f.progress.set(snapshot.Version)
	for _, key := range d.ServersRemoved {
		f.engine.Remove(key)
	}
	var keys []string
	for _, list := range [][]*registry.Entry{d.Added, d.Removed, d.Changed} {
		for _, e := range list {
			if n := len(keys); n == 0 || keys[n-1] != e.Server {
				keys = append(keys, e.Server)
			}
		}
	}
	slices.Sort(keys)
	entries := snapshot.Entries()
	for _, key := range slices.Compact(keys) {
		f.indexServer(key, entries)
	}
}

// indexDescribed indexes the servers whose descriptions have changed.
func (f *Follower) indexDescribed() {
	f.mu.Lock()
	keys := f.described
	f.described = make(map[string]bool)
	f.mu.Unlock()
	entries := f.tools.Snapshot().Entries()
	for key := range keys {
		f.indexServer(key, entries)
	}
}

// indexServer indexes those of the entries that are of one server, if there are any.
func (f *Follower) indexServer(key string, entries []*registry.Entry) {
	info := f.describer.DescribeServer(key)
	var tools []search.Tool
	for _, e := range entries {
		if e.Server == key {
			tools = append(tools, searchTool(e, info))
		}
	}
	if len(tools) > 0 {
		f.engine.Replace(key, tools)
	}
}

func searchTool(e *registry.Entry, info ServerInfo) search.Tool {
	text := func(name string) string {
		s, _ := wire.Unquote(wire.Member(e.Definition, name).Of(e.Definition))
		return s
	}
	hash := e.Hash()
	description := info.Description
	if description == "" {
		description = info.Instructions
	}
	return search.Tool{
		Name: e.Canonical, OriginalName: e.OriginalName, Title: text("title"), Description: text("description"),
		Server: e.Server, ServerID: info.ID, ServerTitle: info.Title, ServerDescription: description,
		InputSchema: wire.Member(e.Definition, "inputSchema").Of(e.Definition),
		Definition:  e.Definition, Hash: hex.EncodeToString(hash[:]),
	}
}
