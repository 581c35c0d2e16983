package doctor

import (
	"fmt"
	"slices"
	"time"
)

// deadline is how long a client waits for a server that is starting.
type deadline struct {
	client string
	limit  time.Duration
	source string
}

// deadlines are those that somebody has met, the longest first.
var deadlines = []deadline{
	{"claude-desktop", 60 * time.Second, "DEFAULT_REQUEST_TIMEOUT_MSEC of @modelcontextprotocol/sdk, for initialize"},
	{"claude-code", 60 * time.Second, "the same, github.com/anthropics/claude-code/issues/43299"},
	{"codex", 10 * time.Second, "the default of startup_timeout_sec, github.com/openai/codex/issues/11851"},
}

// checkStart tells of a server that takes more than half of what a client
// waits: on a slower day, or the first time, when a package is downloaded, it is
// late.
func checkStart(s Server, client string) []Finding {
	var clients []string
	limit := time.Duration(0)
	for _, d := range deadlines {
		if s.Running && s.Ready > d.limit/2 && (client == "" || client == d.client) {
			clients = append(clients, d.client)
			limit = d.limit
		}
	}
	if clients == nil {
		return nil
	}
	slices.Reverse(clients)
	return []Finding{{
		Kind: SlowStart, Severity: Warning, Where: s.Place, Clients: clients,
		What: fmt.Sprintf("ready after %v, more than half of the %v that %s waits for a server", s.Ready.Round(100*time.Millisecond), limit, titles[clients[0]]),
		Mend: "install the package instead of having npx or uvx download it at each start, or leave out what it does not need",
	}}
}
