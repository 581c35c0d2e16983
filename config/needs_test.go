package config_test

import (
	"slices"
	"testing"

	"mcp-aggregator/config"
)

func TestNeedsAreTheVariablesWithoutDefaultOfServersThatRun(t *testing.T) {
	const text = `{"mcpServers": {
	"a": {"command": "${BIN}/x", "args": ["$A", "$$LITERAL", "$${LITERAL}", "${D:-x}"], "env": {"E": "${E} $A"}, "cwd": "${DIR}"},
	"off": {"command": "$OFF", "disabled": true},
	"out": {"command": "$OUT"}
}}`
	file, err := config.NewLoader("c.json", config.Only{"a"}).Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"BIN", "A", "E", "DIR"}; !slices.Equal(file.Needs(), want) {
		t.Errorf("%q, want %q", file.Needs(), want)
	}
	if file, err = config.Read("c.json", []byte(text)); err != nil || !slices.Contains(file.Needs(), "OUT") {
		t.Errorf("%v, %v", file, err)
	}
}
