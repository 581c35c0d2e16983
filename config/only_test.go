package config_test

import (
	"slices"
	"testing"

	"mcp-aggregator/config"
)

func TestOfServersThatAreLeftOutNothingIsRead(t *testing.T) {
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

func TestOnlyNamesServersOfTheFile(t *testing.T) {
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
