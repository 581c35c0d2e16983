package config_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"mcp-aggregator/config"
)

func TestEntriesOfTheWrongTypeAreReported(t *testing.T) {
	const (
		name     = "; name the program that starts this server"
		noString = "; put it in double quotes"
		program  = `; name the program here, and its arguments in "args"`
		array    = `; write "args": ["...", "..."]`
		object   = `; write "env": {"NAME": "value"}`
		folder   = `; write a folder in double quotes, or leave "cwd" out`
	)
	runRefusals(t, config.InvalidSchema, []refusal{
		{"an entry that is a string", `{"mcpServers": {"a": "x"}}`, `c.json:1:22: mcpServers.a: value is a string, not an object; write {"command": "..."}`},
		{"an empty key", `{"mcpServers": { "": {"command": "x"}}}`, `c.json:1:18: mcpServers[""]: server key is empty; give the server a name`},
		{"an empty key of a disabled server", `{"mcpServers": {"": {"disabled": true}}}`, `c.json:1:17: mcpServers[""]: server key is empty; give the server a name`},
		{"no command", oneServer(`"args": []`), "c.json:1:22: mcpServers.a.command: command is missing" + name},
		{"a command in other letters", oneServer(`"Command": "x"`), "c.json:1:22: mcpServers.a.command: command is missing" + name},
		{"an empty command", oneServer(`"command": ""`), "c.json:2:12: mcpServers.a.command: command is empty" + name},
		{"a blank command", oneServer(`"command": " \t\n"`), "c.json:2:12: mcpServers.a.command: command is empty" + name},
		{"null for a command", oneServer(`"command": null`), "c.json:2:12: mcpServers.a.command: value is null, not a string" + program},
		{"an array for a command", oneServer(`"command": ["npx", "y"]`), "c.json:2:12: mcpServers.a.command: value is an array, not a string" + program},
		{"null for args", oneServer(`"command": "x", "args": null`), "c.json:2:25: mcpServers.a.args: value is null, not an array of strings" + array},
		{"a string for args", oneServer(`"command": "x", "args": "y"`), "c.json:2:25: mcpServers.a.args: value is a string, not an array of strings" + array},
		{"args that are no strings, every one of them", oneServer(`"command": "x", "args": ["y", 1, "z", null]`), "" +
			"c.json:2:31: mcpServers.a.args[1]: value is a number, not a string" + noString + "\n" +
			"c.json:2:39: mcpServers.a.args[3]: value is null, not a string" + noString},
		{"null for env", oneServer(`"command": "x", "env": null`), "c.json:2:24: mcpServers.a.env: value is null, not an object of strings" + object},
		{"an array for env", oneServer(`"command": "x", "env": ["A=B"]`), "c.json:2:24: mcpServers.a.env: value is an array, not an object of strings" + object},
		{"variables that are no strings, every one of them", oneServer(`"command": "x", "env": {"A": 8080, "B": "y", "C": true}`), "" +
			"c.json:2:30: mcpServers.a.env.A: value is a number, not a string" + noString + "\n" +
			"c.json:2:51: mcpServers.a.env.C: value is a boolean, not a string" + noString},
		{"a variable without a name", oneServer(`"command": "x", "env": {"": "y"}`), `c.json:2:25: mcpServers.a.env[""]: variable name is empty; name the variable or remove it`},
		{"a variable with = in its name", oneServer(`"command": "x", "env": {"A=B": "y"}`), `c.json:2:25: mcpServers.a.env["A=B"]: variable name contains "="; remove it`},
		{"a number for cwd", oneServer(`"command": "x", "cwd": 1`), "c.json:2:24: mcpServers.a.cwd: value is a number, not a string" + folder},
		{"an empty cwd", oneServer(`"command": "x", "cwd": ""`), `c.json:2:24: mcpServers.a.cwd: folder is empty; name a folder, or leave "cwd" out`},
		{"a string for disabled", oneServer(`"command": "x", "disabled": "true"`), "c.json:2:29: mcpServers.a.disabled: value is a string, not a boolean; write true or false, without quotes"},
		{"a number for type", oneServer(`"command": "x", "type": 1`), `c.json:2:25: mcpServers.a.type: value is a number, not a string; write "stdio", or leave "type" out`},
		{"everything at once, in file order", oneServer("\"cwd\": 1,\n\"env\": 2,\n\"args\": 3,\n\"type\": 4,\n\"disabled\": 5"), "" +
			"c.json:1:22: mcpServers.a.command: command is missing" + name + "\n" +
			"c.json:2:8: mcpServers.a.cwd: value is a number, not a string" + folder + "\n" +
			"c.json:3:8: mcpServers.a.env: value is a number, not an object of strings" + object + "\n" +
			"c.json:4:9: mcpServers.a.args: value is a number, not an array of strings" + array + "\n" +
			`c.json:5:9: mcpServers.a.type: value is a number, not a string; write "stdio", or leave "type" out` + "\n" +
			"c.json:6:13: mcpServers.a.disabled: value is a number, not a boolean; write true or false, without quotes"},
	})
}

func TestNULCharactersAreReported(t *testing.T) {
	const value = ": value contains a NUL character; remove it"
	runRefusals(t, config.InvalidSchema, []refusal{
		{"in a command", oneServer(`"command": "x\u0000"`), "c.json:2:12: mcpServers.a.command" + value},
		{"in an argument", oneServer(`"command": "x", "args": ["y", "\u0000"]`), "c.json:2:31: mcpServers.a.args[1]" + value},
		{"in a variable's value", oneServer(`"command": "x", "env": {"A": "\u0000"}`), "c.json:2:30: mcpServers.a.env.A" + value},
		{"in a variable's name", oneServer(`"command": "x", "env": {"A\u0000": ""}`), `c.json:2:25: mcpServers.a.env["A\x00"]: variable name contains a NUL character; remove it`},
		{"in a cwd", oneServer(`"command": "x", "cwd": "\u0000"`), "c.json:2:24: mcpServers.a.cwd" + value},
	})
}

func TestAnotherTransportIsTheOnlyProblemOfItsEntry(t *testing.T) {
	const only = ": only stdio servers run here; serve this one with `mcp-aggregator serve --config c.json`, " +
		`or write a "command" that starts a stdio bridge such as mcp-remote`
	runRefusals(t, config.InvalidSchema, []refusal{
		{"url", oneServer(`"url": "https://x"`), "c.json:2:8: mcpServers.a.url" + only},
		{"serverUrl", oneServer(`"serverUrl": "https://x"`), "c.json:2:14: mcpServers.a.serverUrl" + only},
		{"httpUrl", oneServer(`"httpUrl": "https://x"`), "c.json:2:12: mcpServers.a.httpUrl" + only},
		{"a url beside a command", oneServer(`"command": "x", "url": "https://x"`), "c.json:2:24: mcpServers.a.url" + only},
		{"a url that is not a string", oneServer(`"url": false`), "c.json:2:8: mcpServers.a.url" + only},
		{"type http", oneServer(`"type": "http"`), "c.json:2:9: mcpServers.a.type" + only},
		{"type and url, of which the first is named", oneServer(`"type": "http", "url": "https://x"`), "c.json:2:9: mcpServers.a.type" + only},
		{"a url after type stdio", oneServer(`"type": "stdio", "url": "https://x"`), "c.json:2:25: mcpServers.a.url" + only},
		{"with other problems", oneServer(`"url": "$NOPE", "command": 1, "args": 2, "env": {"": 3}, "cwd": "$NOPE", "type": 4, "disabled": 5, "args": 6`), "c.json:2:8: mcpServers.a.url" + only},
	})
}

func TestAWrongTypeOfAServerWithACommandIsReported(t *testing.T) {
	const wrong = `c.json:2:9: mcpServers.a.type: type of a server with a "command" is "stdio"; write that, or leave "type" out`
	runRefusals(t, config.InvalidSchema, []refusal{
		{"http", oneServer(`"type": "http", "command": "x"`), wrong},
		{"stdio in other letters", oneServer(`"type": "STDIO", "command": "x"`), wrong},
		{"an empty one", oneServer(`"type": "", "command": "x"`), wrong},
		{"an unknown one", oneServer(`"type": "ws", "command": "x"`), wrong},
	})
}

func TestOptionalMembersMayBeNull(t *testing.T) {
	inFolder(t)
	resolved := mustResolve(t, "c.json", oneServer(
		`"command": "x", "disabled": null, "type": null, "url": null, "serverUrl": null, "httpUrl": null, "cwd": null`))
	if len(resolved.Servers) != 1 || resolved.Servers[0].Dir != "" {
		t.Errorf("servers %+v", resolved.Servers)
	}
}

func TestADisabledServerIsNeitherCheckedNorExpanded(t *testing.T) {
	folder := inFolder(t)
	text := `{"mcpServers": {
		"off": {"url": 1, "type": "http", "command": "", "args": "$NOPE", "env": {"": "$NOPE"}, "cwd": 1, "cwd": 2, "disabled": true},
		"on": {"command": "x", "disabled": false}
	}}`
	resolved := mustResolve(t, "c.json", text)
	equal(t, resolved, &config.McpConfig{
		Path:    folder + "/c.json",
		Servers: []config.ServerConfig{{Key: "on", Command: "x"}},
	})
}

func TestAServerThatIsDisabledTwiceIsNotSkipped(t *testing.T) {
	const twice = "mcpServers.a.disabled: member occurs twice, on lines 2 and 2; remove one of them"
	runRefusals(t, config.InvalidSchema, []refusal{
		{"true and false", oneServer(`"disabled": true, "disabled": false, "command": "x"`), "c.json:2:19: " + twice},
		{"false and true", oneServer(`"disabled": false, "disabled": true, "command": "x"`), "c.json:2:20: " + twice},
	})
}

// One such entry must not prevent the others from running.
func TestAServerOfAnotherTransportIsLeftOut(t *testing.T) {
	const where = "serve this one with `mcp-aggregator serve --config c.json`, " +
		`or write a "command" that starts a stdio bridge such as mcp-remote`
	for name, entry := range map[string]string{
		"with a url":                         `{"url": "https://x", "headers": {"A": "$NOPE"}}`,
		"with a url beside a command":        `{"command": 1, "serverUrl": "https://x", "args": 2}`,
		"of the type http without a command": `{"type": "http", "args": ["$NOPE"]}`,
		"of the type sse without a command":  `{"type": "sse", "command": null}`,
		"of the type streamable-http":        `{"type": "streamable-http"}`,
		"of an unknown type":                 `{"type": "ws", "url": "wss://x"}`,
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
			if needs := file.RequiredVariables(); needs != nil {
				t.Errorf("it needs %q", needs)
			}
			if web := file.Servers[0]; web.Key != "web" || web.Unsupported == nil || !strings.HasSuffix(web.Unsupported.Error(), where) {
				t.Errorf("%+v", web)
			}
		})
	}
}

func TestAFileWithOnlyOtherTransportsIsReported(t *testing.T) {
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

func TestServersThatAreLeftOutAreNotParsed(t *testing.T) {
	const text = `{"mcpServers":{"a":{"command":"x","args":["$UNSET"]},"b":{"command":"x"},"c":{"url":"https://"},"d":17,"e":{"command":"y"}}}`
	path := t.TempDir() + "/config.json"
	write(t, path, text)
	file, err := config.NewLoader(config.Path(path), config.Only{"e", "b"}).Load()
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := config.NewExpander(config.Env{}).Expand(file)
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for _, s := range cfg.Servers {
		keys = append(keys, s.Key)
	}
	if want := []string{"b", "e"}; !slices.Equal(keys, want) {
		t.Errorf("servers %q, want %q", keys, want)
	}
	if want := []string{"a", "c", "d"}; !slices.Equal(cfg.LeftOut, want) {
		t.Errorf("left out %q, want %q", cfg.LeftOut, want)
	}
}

func TestUnknownKeysOfOnlyAreReported(t *testing.T) {
	tests := map[string]struct{ text, want string }{
		"another key": {`{"mcpServers":{"a":{"command":"x"},"b\"":{"command":"x"}}}`, `--only: there is no server "no"; the servers are: "a", "b\""`},
		"no servers":  {`{"mcpServers":{}}`, `--only: there is no server "no"; the servers are: none`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			path := t.TempDir() + "/config.json"
			write(t, path, test.text)
			file, err := config.NewLoader(config.Path(path), config.Only{"no"}).Load()
			if err != nil {
				t.Fatal(err)
			}
			_, err = config.NewExpander(config.Env{}).Expand(file)
			wantProblems(t, err, config.UnknownServer, path+":1:15: mcpServers: "+test.want)
		})
	}
}
