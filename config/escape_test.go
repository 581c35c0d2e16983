package config_test

import (
	"testing"

	"pgregory.net/rapid"

	"mcp-aggregator/config"
)

func TestEscapeKeepsTextsFromBeingExpanded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := dense().Draw(t, "text")
		if got := expandText(t, config.Escape(text), "A=1", "B=2"); got != text {
			t.Fatalf("%q, escaped as %q, became %q", text, config.Escape(text), got)
		}
	})
}

func TestReadTakesBytesForTheFileThatTheyWillBe(t *testing.T) {
	folder := inFolder(t)
	file, err := config.Read("new.json", []byte(`{"mcpServers": {"a": {"command": "x", "cwd": "y"}}}`))
	if err != nil || file.Path != folder+"/new.json" || len(file.Servers) != 1 {
		t.Errorf("%+v, %v", file, err)
	}
	_, err = config.Read("new.json", []byte(`{`))
	wantProblems(t, err, config.InvalidJSON, "new.json:1:2: unexpected end of JSON input; close every string, bracket and brace")
}
