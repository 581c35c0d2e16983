package config_test

import (
	"errors"
	"strings"
	"testing"

	"mcp-aggregator/config"
)

// One such entry must not keep the others from running.
func TestAServerOfAnotherTransportIsLeftOut(t *testing.T) {
	const where = "serve this one with `mcp-aggregator serve --config c.json`, " +
		`or write a "command" that starts a stdio bridge such as mcp-remote`
	for name, entry := range map[string]string{
		"with a url":                         `{"url": "https://x", "headers": {"A": "$NOPE"}}`,
		"with a url beside a command":        `{"command": 1, "serverUrl": "https://x", "args": 2}`,
		"of the type http without a command": `{"type": "http", "args": ["$NOPE"]}`,
		"of the type sse without a command":  `{"type": "sse", "command": null}`,
		"of the type streamable-http":        `{"type": "streamable-http"}`,
		"of a type that nobody knows":        `{"type": "ws", "url": "wss://x"}`,
	} {
		t.Run(name, func(t *testing.T) {
			inFolder(t)
			write(t, "c.json", `{"mcpServers": {"web": `+entry+`, "files": {"command": "x"}}}`)
			file, err := load("c.json")
			if err != nil {
				t.Fatal(err)
			}
			resolved, err := config.NewExpander(config.Env{}).Expand(file)
			if err != nil || len(resolved.Servers) != 1 || resolved.Servers[0].Key != "files" {
				t.Fatalf("servers %+v, %v", resolved, err)
			}
			if needs := file.Needs(); needs != nil {
				t.Errorf("it needs %q", needs)
			}
			if web := file.Servers[0]; web.Key != "web" || web.Unsupported == nil || !strings.HasSuffix(web.Unsupported.Error(), where) {
				t.Errorf("%+v", web)
			}
		})
	}
}

func TestAFileOfNothingButOtherTransportsIsRefused(t *testing.T) {
	inFolder(t)
	_, err := resolve(t, "c.json", `{"mcpServers": {
		"a": {"url": "https://a"},
		"b": {"type": "sse"},
		"off": {"command": "x", "disabled": true}
	}}`)
	problems, _ := errors.AsType[config.Errors](err)
	if len(problems) != 2 || problems[0].Path != "mcpServers.a.url" || problems[1].Path != "mcpServers.b.type" {
		t.Errorf("%v", err)
	}
}
