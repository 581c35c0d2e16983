package child

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"mcp-aggregator/config"
	"mcp-aggregator/modules/wire"
)

// Manager owns the children of one mcpServers file.
type Manager struct {
	spawner  Spawner
	options  Options
	children []*child // in the order of the file
	byKey    map[string]*child

	greet  sync.Once
	cancel context.CancelFunc
	owners sync.WaitGroup
}

type deps struct {
	client  Client
	tools   Tools
	log     *slog.Logger
	options Options
}

// NewManager returns a Manager of the servers of cfg; Start spawns them.
func NewManager(cfg *config.McpConfig, spawner Spawner, client Client, tools Tools, log *slog.Logger, options Options) *Manager {
	m := &Manager{
		spawner: spawner, options: options.withDefaults(),
		byKey: make(map[string]*child),
	}
	for _, server := range cfg.Servers {
		c := newChild(server, deps{client, tools, log, m.options})
		m.children = append(m.children, c)
		m.byKey[server.Key] = c
	}
	return m
}

// Start spawns all children at once and waits for none.
//
//nolint:contextcheck // Fx's context ends when Start returns; the children do not
func (m *Manager) Start(context.Context) error {
	ctx, cancel := context.WithCancel(context.Background())
	m.cancel = cancel
	for _, c := range m.children {
		m.owners.Go(func() { c.run(ctx, m.spawner) })
	}
	return nil
}

// Stop ends all children at once and waits until nothing is left of them,
// within its budget. A client that takes no more answers is not waited for.
func (m *Manager) Stop(context.Context) error {
	if m.cancel == nil { // nothing was started
		return nil
	}
	m.cancel()
	budget := time.After(m.options.StopBudget)
	for _, c := range m.children {
		select {
		case <-c.gone:
		case <-budget:
			m.Kill()
			return fmt.Errorf("children did not end within %v", m.options.StopBudget)
		}
	}
	joined := make(chan struct{})
	go func() { // outlives Stop only behind a client that takes nothing
		m.owners.Wait()
		close(joined)
	}()
	select {
	case <-joined:
	case <-time.After(drainTime):
	}
	return nil
}

// Kill ends the process groups of all children at once, without asking. It
// stops them like Stop: their ends are no failures.
func (m *Manager) Kill() {
	m.cancel()
	for _, c := range m.children {
		c.kill()
	}
}

// Hello begins the handshakes: the client has introduced itself. Only the
// first call counts.
func (m *Manager) Hello(h Introduction) {
	m.greet.Do(func() {
		for _, c := range m.children {
			c.hello <- h // has room for the only one
		}
	})
}

// Statuses returns the status of every child, in the order of the file.
func (m *Manager) Statuses() []Status {
	statuses := make([]Status, len(m.children))
	for i, c := range m.children {
		statuses[i] = *c.status.Load()
	}
	return statuses
}

// Settled returns a channel that is closed once the child with that key has
// left Initializing; nil for an unknown key.
func (m *Manager) Settled(key string) <-chan struct{} {
	if c, ok := m.byKey[key]; ok {
		return c.settled
	}
	return nil
}

// Cancel carries the client's notifications/cancelled to the child of the first
// open call whose Replier matches.
func (m *Manager) Cancel(notification *wire.Message, match func(Replier) bool) {
	for _, c := range m.children {
		if l := c.link.Load(); l != nil && l.cancel(notification, match) {
			return
		}
	}
}

// Broadcast carries a notification of the client to every child, as soon as it
// has been introduced to the client.
func (m *Manager) Broadcast(notification *wire.Message) {
	for _, c := range m.children {
		if !c.status.Load().ended() {
			c.early.tell(notification.Line)
		}
	}
}

// Flush sees to it that the children hear of the calls so far. It does not block.
func (m *Manager) Flush() {
	for _, c := range m.children {
		if l := c.link.Load(); l != nil {
			l.out.flush()
		}
	}
}

// Call sends the request m to the child with that key, naming the tool by the
// raw JSON name. Exactly one of r's methods is called, unless the child never
// answers and never ends.
func (m *Manager) Call(key string, request *wire.Message, name []byte, r Replier) {
	if c, ok := m.byKey[key]; ok {
		if l := c.link.Load(); l != nil {
			l.call(request, name, r)
			return
		}
	}
	r.Fail(&wire.Error{Code: jsonrpc.CodeInternalError, Message: fmt.Sprintf("Server '%s' is not running", key), Unsent: true})
}
