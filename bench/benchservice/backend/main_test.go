package main_test

import (
	"encoding/json"
	"testing"

	backend "mcp-aggregator/bench/benchservice/backend"
)

func TestRequestsAreAnsweredUnderTheirIDs(t *testing.T) {
	for method, member := range map[string]string{"initialize": "protocolVersion", "tools/list": "tools", "tools/call": "content", "ping": ""} {
		for _, message := range []string{
			`{"jsonrpc":"2.0","id":"7a","method":"` + method + `","params":{}}`,
			`{"jsonrpc":"2.0","method":"` + method + `","params":{},"id":"7a"}`,
		} {
			var answer struct {
				ID     string
				Result map[string]any
			}
			text := backend.AnswerTo([]byte(message))
			if err := json.Unmarshal(text, &answer); err != nil {
				t.Fatalf("%v: %s", err, text)
			}
			if answer.ID != "7a" || answer.Result == nil || member != "" && answer.Result[member] == nil {
				t.Errorf("%s: %s", method, text)
			}
		}
	}
}

func TestNotificationsAreNotAnswered(t *testing.T) {
	if text := backend.AnswerTo([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)); text != nil {
		t.Errorf("%s", text)
	}
}
