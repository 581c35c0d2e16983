package upstream

import (
	"cmp"
	"time"

	"mcp-aggregator/modules/registry"
)

// ListWait is the default of Options.ListWait.
const ListWait = 10 * time.Second

// Options of the server. The zero value means the defaults.
type Options struct {
	Name       string             // serverInfo.name; default "mcp-simple-aggregator"
	Version    string             // serverInfo.version; default "0.0.0"
	Separator  registry.Separator // default registry.Auto
	MaxMessage int                // bytes of one message of the client; default wire.DefaultMaxLine
	ListWait   time.Duration      // longest wait of tools/list for children; default 10 s
	LastCalls  time.Duration      // wait for answers after the client closed its end; default 3 s
	Coalesce   time.Duration      // changes within it make one list_changed; default 50 ms
}

func (o Options) withDefaults() Options {
	return Options{
		Name:       cmp.Or(o.Name, "mcp-simple-aggregator"),
		Version:    cmp.Or(o.Version, "0.0.0"),
		Separator:  cmp.Or(o.Separator, registry.Auto),
		MaxMessage: o.MaxMessage,
		ListWait:   cmp.Or(o.ListWait, ListWait),
		LastCalls:  cmp.Or(o.LastCalls, 3*time.Second),
		Coalesce:   cmp.Or(o.Coalesce, 50*time.Millisecond),
	}
}
