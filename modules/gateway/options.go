package gateway

import (
	"cmp"
	"time"
)

// Options of the Gateway. The zero value means the defaults.
type Options struct {
	Version    string // serverInfo.version; default "0.0.0"
	MaxMessage int64  // bytes of one message of a client; default 256 MiB
	// MaxSessions bounds what clients can make the service remember; default 10,000.
	MaxSessions int
	IdleTime    time.Duration // after which a session that nobody uses ends; default 1 h
	KeepAlive   time.Duration // between comments on a stream that is silent; default 25 s
	Coalesce    time.Duration // changes within it make one list_changed; default 50 ms
}

func (o Options) withDefaults() Options {
	return Options{
		Version:     cmp.Or(o.Version, "0.0.0"),
		MaxMessage:  cmp.Or(o.MaxMessage, 256<<20),
		MaxSessions: cmp.Or(o.MaxSessions, 10_000),
		IdleTime:    cmp.Or(o.IdleTime, time.Hour),
		KeepAlive:   cmp.Or(o.KeepAlive, 25*time.Second),
		Coalesce:    cmp.Or(o.Coalesce, 50*time.Millisecond),
	}
}

// name is serverInfo.name.
const name = "mcp-aggregator"

// protocolVersions are the revisions of MCP spoken with clients, newest first: those
// that have streamable HTTP and begin with initialize.
func protocolVersions() []string { return []string{"2025-11-25", "2025-06-18", "2025-03-26"} }

// batchVersion is the only one of them that has batches (2025-03-26, basic#batching).
const batchVersion = "2025-03-26"
