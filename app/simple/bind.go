package simple

import (
	"context"
	"log/slog"
	"time"

	"go.uber.org/fx"

	"mcp-aggregator/app/toolsearch"
	"mcp-aggregator/config"
	"mcp-aggregator/modules/child"
	"mcp-aggregator/modules/lean"
	"mcp-aggregator/modules/registry"
	"mcp-aggregator/modules/search"
	"mcp-aggregator/modules/upstream"
	"mcp-aggregator/modules/wire"
)

// bindings connect modules that do not import each other: each function adapts what
// one module provides to the interface that another declares.
func bindings() fx.Option {
	return fx.Provide(
		keysInOrder,
		func(r *upstream.ServerRequests) child.Client { return clientSide{r} },
		func(tools *registry.ToolRegistry) child.Tools { return tools },
		func(m *child.Manager) upstream.Deps {
			return upstream.Deps{Servers: servers{m}, Caller: caller{m}, Flusher: m}
		},
	)
}

// leanMode adds what only --lean needs: an index of the tools, which follows the registry,
// and the catalogues that the server reads. Nothing is learned of the calls: the program
// writes nothing, and one session is too short.
func leanMode() fx.Option {
	return fx.Options(
		fx.Provide(
			func(log *slog.Logger) *search.Engine { return search.NewEngine(nil, log, search.Options{}) },
			func(m *child.Manager) toolsearch.ServerDescriber { return describer{m} },
			fx.Annotate(toolsearch.NewFollower, fx.OnStart((*toolsearch.Follower).Start), fx.OnStop((*toolsearch.Follower).Stop)),
		),
		fx.Decorate(func(d upstream.Deps, engine *search.Engine, follower *toolsearch.Follower, describer toolsearch.ServerDescriber) upstream.Deps {
			d.Lean = leanTools{engine, follower, describer}
			return d
		}),
	)
}

func keysInOrder(cfg *config.McpConfig) registry.Order {
	var keys registry.Order
	for _, server := range cfg.Servers {
		keys = append(keys, server.Key)
	}
	return keys
}

// servers implements upstream.Servers with the children.
type servers struct{ *child.Manager }

func (s servers) ClientInitialized(client upstream.Client) {
	s.Initialize(child.InitializeParams{Raw: client.Initialize, ProtocolVersion: client.ProtocolVersion})
}

func (s servers) Statuses() []upstream.ServerStatus {
	var list []upstream.ServerStatus
	for _, status := range s.Manager.Statuses() {
		shown := upstream.ServerStatus{Key: status.Key, Settled: status.Settled(), State: string(status.State)}
		if status.Err != nil {
			shown.Reason = status.Err.Why()
		}
		list = append(list, shown)
	}
	return list
}

// leanTools implements upstream.LeanTools with the index.
type leanTools struct {
	engine    *search.Engine
	follower  *toolsearch.Follower
	describer toolsearch.ServerDescriber
}

func (l leanTools) Catalogue(snapshot *registry.Snapshot, naming *registry.Naming, unlisted func(string) bool) lean.Catalogue {
	return indexed{toolsearch.NewCatalogue(l.engine, snapshot.View(naming), l.describer, unlisted), l.follower, snapshot.Version}
}

// indexed is a catalogue whose searches wait until its tools are in the index.
type indexed struct {
	*toolsearch.Catalogue

	follower *toolsearch.Follower
	version  int64
}

// indexTimeout bounds the wait of a search for the index, which takes 50 ms for 1,000 tools.
const indexTimeout = 5 * time.Second

// Search implements lean.Catalogue.
func (i indexed) Search(ctx context.Context, query string, limit int, servers []string) ([]lean.Hit, error) {
	bounded, cancel := context.WithTimeout(ctx, indexTimeout)
	defer cancel()
	i.follower.Await(bounded, i.version)
	return i.Catalogue.Search(ctx, query, limit, servers)
}

// describer implements toolsearch.ServerDescriber with the children.
type describer struct{ *child.Manager }

func (d describer) DescribeServer(key string) toolsearch.ServerInfo {
	info := d.Status(key).Info
	return toolsearch.ServerInfo{Title: info.Title, Instructions: info.Instructions}
}

// clientSide implements child.Client with the client of the session.
type clientSide struct{ *upstream.ServerRequests }

func (c clientSide) HandleServerMessage(m *wire.Message, from child.Origin) {
	c.ServerRequests.HandleServerMessage(m, from)
}

func (c clientSide) ServerEnded(from child.Origin) { c.ServerRequests.ServerEnded(from) }

// caller implements upstream.Caller with the children.
type caller struct{ *child.Manager }

func (c caller) Call(key string, request *wire.Message, tool []byte, r upstream.Replier) {
	c.Manager.Call(key, request, tool, r)
}

func (c caller) Cancel(notification *wire.Message, match func(upstream.Replier) bool) {
	c.Manager.Cancel(notification, func(r child.Replier) bool { return match(r) })
}
