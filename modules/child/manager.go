package child

import (
	"context"
	"log/slog"
	"time"

	"mcp-aggregator/config"
	"mcp-aggregator/modules/wire"
)

// Manager runs the servers of one mcpServers file.
type Manager struct {
	servers    []*Server // in the order of the file
	byKey      map[string]*Server
	stopBudget time.Duration
}

// NewManager returns a Manager of the servers of cfg; Start spawns them.
func NewManager(cfg *config.McpConfig, spawner Spawner, client Client, tools Tools, log *slog.Logger, options Options) *Manager {
	m := &Manager{byKey: make(map[string]*Server), stopBudget: options.withDefaults().StopBudget}
	for _, server := range cfg.Servers {
		s := New(server, spawner, client, tools, log, options)
		m.servers = append(m.servers, s)
		m.byKey[server.Key] = s
	}
	return m
}

// Start spawns all servers at once and waits for none.
//
//nolint:contextcheck // Fx's context ends when Start returns; the servers do not
func (m *Manager) Start(context.Context) error {
	for _, s := range m.servers {
		s.Start()
	}
	return nil
}

// Stop ends all servers at once and waits until nothing is left of them, for
// Options.StopBudget at most. A client that takes no more responses is not waited for.
func (m *Manager) Stop(context.Context) error { return stopAll(m.servers, m.stopBudget) }

// Kill ends the process groups of all servers at once. Their ends are no failures.
func (m *Manager) Kill() {
	for _, s := range m.servers {
		s.Kill()
	}
}

// Initialize begins the handshakes, on behalf of a client that said these params. Only
// the first call counts.
func (m *Manager) Initialize(params InitializeParams) {
	for _, s := range m.servers {
		s.Initialize(params)
	}
}

// Statuses returns the status of every server, in the order of the file.
func (m *Manager) Statuses() []Status {
	statuses := make([]Status, len(m.servers))
	for i, s := range m.servers {
		statuses[i] = s.Status()
	}
	return statuses
}

// Status returns the status of the server with that key; for an unknown key only the key.
func (m *Manager) Status(key string) Status {
	if s, ok := m.byKey[key]; ok {
		return s.Status()
	}
	return Status{Key: key}
}

// Settled returns a channel that is closed once the server with that key has
// left Initializing; nil for an unknown key.
func (m *Manager) Settled(key string) <-chan struct{} {
	if s, ok := m.byKey[key]; ok {
		return s.Settled()
	}
	return nil
}

// Call sends the request m to the server with that key (see [Server.Call]).
func (m *Manager) Call(key string, request *wire.Message, name []byte, r Replier) {
	if s, ok := m.byKey[key]; ok {
		s.Call(request, name, r)
		return
	}
	r.Fail(notRunning(key))
}

// Cancel carries the client's notifications/cancelled to the server of the first
// pending call whose Replier matches.
func (m *Manager) Cancel(notification *wire.Message, match func(Replier) bool) {
	for _, s := range m.servers {
		if s.Cancel(notification, match) {
			return
		}
	}
}

// Broadcast carries a notification of the client to every server, once the server is
// initialized.
func (m *Manager) Broadcast(notification *wire.Message) {
	for _, s := range m.servers {
		s.Notify(notification)
	}
}

// Flush has the servers receive the calls so far. It does not block.
func (m *Manager) Flush() {
	for _, s := range m.servers {
		s.Flush()
	}
}
