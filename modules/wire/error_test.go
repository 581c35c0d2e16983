package wire_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"mcp-aggregator/modules/wire"
)

func TestAnErrorLineIsTheResponseToItsRequest(t *testing.T) {
	type reason struct {
		Server string `json:"server"`
		Exit   int    `json:"exit"`
	}
	tests := []struct {
		name string
		id   string
		err  wire.Error
		want string
	}{
		{"without data", `7`, wire.Error{Code: -32601, Message: "Tool not found: a"}, `{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"Tool not found: a"}}`},
		{"the zero error", `7`, wire.Error{}, `{"jsonrpc":"2.0","id":7,"error":{"code":0,"message":""}}`},
		{"an id of any form", `"\u0061\/"`, wire.Error{Code: 1, Message: "m"}, `{"jsonrpc":"2.0","id":"\u0061\/","error":{"code":1,"message":"m"}}`},
		{"an id that could not be read", string(wire.NullID), wire.Error{Code: -32700, Message: "m"}, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}`},
		{"a message that needs escapes", `7`, wire.Error{Code: 1, Message: "\"a\\b\n\x00<é\xff>"}, `{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"\"a\\b\n\u0000<é` + "\uFFFD" + `>"}}`},
		{"data", `7`, wire.Error{Code: 1, Message: "m", Data: reason{"a", 3}}, `{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"m","data":{"server":"a","exit":3}}}`},
		{"raw data", `7`, wire.Error{Code: 1, Message: "m", Data: json.RawMessage(`[1e400]`)}, `{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"m","data":[1e400]}}`},
		{"data that is false", `7`, wire.Error{Code: 1, Message: "m", Data: false}, `{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"m","data":false}}`},
		{"data that cannot be encoded is left out", `7`, wire.Error{Code: 1, Message: "m", Data: make(chan int)}, `{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"m"}}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := string(wire.AppendErrorLine(nil, []byte(test.id), &test.err)); got != test.want {
				t.Errorf("%s\nwant\n%s", got, test.want)
			}
			if got, want := string(wire.AppendErrorLine([]byte("before"), []byte(test.id), &test.err)), "before"+test.want; got != want {
				t.Errorf("appended: %s", got)
			}
		})
	}
}

func TestAnErrorLineCarriesAnyMessage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := wire.Error{Code: rapid.Int().Draw(t, "code"), Message: rapid.String().Draw(t, "message"), Data: rapid.String().Draw(t, "data")}
		id := fmt.Appendf(nil, "%d", rapid.Uint64().Draw(t, "id"))
		line := wire.AppendErrorLine(nil, id, &want)

		var got struct {
			Error struct {
				Code    int    `json:"code"`
				Message string `json:"message"`
				Data    string `json:"data"`
			} `json:"error"`
		}
		if err := json.Unmarshal(line, &got); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if got.Error.Code != want.Code || got.Error.Message != want.Message || got.Error.Data != want.Data {
			t.Fatalf("%+v became %s", want, line)
		}
		var m wire.Message
		if err := new(wire.Scanner).Scan(line, &m); err != nil || m.Kind != wire.Response || string(m.ID.Of(line)) != string(id) {
			t.Fatalf("%s is a %v: %v", line, m.Kind, err)
		}
	})
}

func TestAnErrorIsFoundAndReadsAsItsMessage(t *testing.T) {
	err := fmt.Errorf("call: %w", &wire.Error{Code: -32603, Message: "m"})
	found, ok := errors.AsType[*wire.Error](err)
	if !ok || found.Code != -32603 || err.Error() != "call: m" {
		t.Errorf("%+v in %q", found, err)
	}
}
