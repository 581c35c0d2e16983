package child_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"

	"mcp-aggregator/config"
	"mcp-aggregator/modules/child"
	"mcp-aggregator/modules/mcpclient"
	"mcp-aggregator/testutil"
)

// toolsThatLook notes what is known of a child when its tools come.
type toolsThatLook struct {
	toolsRecorder

	manager *child.Manager
	seen    mcpclient.ServerInfo
}

func (l *toolsThatLook) ReplaceTools(key string, definitions [][]byte) int {
	l.seen = l.manager.Status(key).Info
	return len(definitions)
}

func TestWhatAChildSaysOfItselfIsKnownBeforeItsTools(t *testing.T) {
	long := strings.Repeat("é", 64<<10)
	for name, test := range map[string]struct {
		members string
		want    mcpclient.ServerInfo
	}{
		"title and instructions": {`,"serverInfo":{"name":"n","title":"\u0054","version":"1"},"instructions":"I\n"`, mcpclient.ServerInfo{Title: "T", Instructions: "I\n"}},
		"nothing":                {``, mcpclient.ServerInfo{}},
		"texts that are none":    {`,"serverInfo":{"name":1,"title":{"a":1e400}},"instructions":["I"]`, mcpclient.ServerInfo{}},
		"no object":              {`,"serverInfo":[],"instructions":null`, mcpclient.ServerInfo{}},
		"texts that are long": {
			fmt.Sprintf(`,"serverInfo":{"title":%q},"instructions":"x%s"`, long, long),
			mcpclient.ServerInfo{Title: long[:1<<10], Instructions: "x" + long[:63<<10-2]},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				raw := testutil.Raw{Initialize: `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}}` + test.members + `}`, Tools: `[{}]`}
				tools := new(toolsThatLook)
				tools.manager = child.NewManager(&config.McpConfig{Servers: []config.ServerConfig{{Key: "a"}}},
					testutil.Spawner{"a": raw.Run}, new(clientRecorder), tools, slog.New(slog.DiscardHandler), child.Options{})
				if err := tools.manager.Start(t.Context()); err != nil {
					t.Fatal(err)
				}
				tools.manager.Initialize(child.InitializeParams{ProtocolVersion: "2025-11-25"})
				<-tools.manager.Settled("a")
				status := tools.manager.Status("a")
				if status.State != child.Running || status.Info != test.want || tools.seen != test.want {
					t.Errorf("%s: %.100q, with the tools %.100q", status.State, status.Info, tools.seen)
				}
				if err := tools.manager.Stop(t.Context()); err != nil {
					t.Error(err)
				}
				if got := tools.manager.Status("unknown"); got != (child.Status{Key: "unknown"}) {
					t.Errorf("of an unknown key: %v", got)
				}
			})
		})
	}
}
