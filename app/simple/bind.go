package simple

import (
	"go.uber.org/fx"

	"mcp-aggregator/config"
	"mcp-aggregator/modules/child"
	"mcp-aggregator/modules/registry"
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
