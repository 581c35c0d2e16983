package wire_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"mcp-aggregator/modules/wire"
)

func TestEnvelopeOf(t *testing.T) {
	tests := []struct {
		name, line string
		want       wire.Envelope
	}{
		{"an answer", `{"jsonrpc":"2.0","id":7,"result":{}}`, wire.Envelope{ID: "7", HasResultOrError: true}},
		{"its id comes last", `{"result":{"a":[1,{"b":"}"}]},"id":"x"}`, wire.Envelope{ID: `"x"`, HasResultOrError: true}},
		{"an error", `{"error":{"code":1},"id":1}`, wire.Envelope{ID: "1", HasResultOrError: true}},
		{"a request", `{"id":1,"method":"x","params":{}}`, wire.Envelope{ID: "1", HasMethod: true}},
		{"a notification", `{"method":"x"}`, wire.Envelope{HasMethod: true}},
		{"white space", "\t{ \"id\" : 1 , \"result\" : 2 } \r", wire.Envelope{ID: "1", HasResultOrError: true}},
		{"ids that are deeper", `{"result":{"id":1,"method":"x","error":2},"a":[{"id":2}]}`, wire.Envelope{HasResultOrError: true}},
		{"names within strings", `{"a":"\"id\":1,","b":"\\","result":"id"}`, wire.Envelope{HasResultOrError: true}},
		{"a value that reads like a name", `{"a":"id","result":1}`, wire.Envelope{HasResultOrError: true}},
		{"brackets within strings", `{"a":"}]{[","id":1,"result":1}`, wire.Envelope{ID: "1", HasResultOrError: true}},
		{"a long string", `{"a":"` + strings.Repeat("x", 10_000) + `\",\"id\":1` + strings.Repeat(`\\`, 10_000) + `","id":2,"result":1}`, wire.Envelope{ID: "2", HasResultOrError: true}},
		{"two ids", `{"id":1,"id":2,"result":1}`, wire.Envelope{HasResultOrError: true}},
		{"an id that is an object", `{"id":{"id":1},"result":1}`, wire.Envelope{HasResultOrError: true}},
		{"an id that is a list", `{"id":[1],"result":1}`, wire.Envelope{HasResultOrError: true}},
		{"an id of any length", `{"id":"` + strings.Repeat("x", 10_000) + `","result":1}`, wire.Envelope{HasResultOrError: true}},
		{"the end is missing", `{"id":1,"result":{`, wire.Envelope{ID: "1", HasResultOrError: true}},
		{"the end is missing in the id", `{"result":1,"id":1`, wire.Envelope{HasResultOrError: true}},
		{"garbage in it", `{"id":1,"result":NaN,x}`, wire.Envelope{ID: "1", HasResultOrError: true}},
		{"garbage after it", `{"result":1,"id":1}, "method":"x"}`, wire.Envelope{ID: "1", HasResultOrError: true}},
		{"a second object after it", `{"result":1}{"id":1}`, wire.Envelope{HasResultOrError: true}},
		{"closed more often than opened", `}]{"id":1,"result":1}`, wire.Envelope{ID: "1", HasResultOrError: true}},
		{"a batch", `[{"id":1,"result":1}]`, wire.Envelope{}},
		{"a string", `"id"`, wire.Envelope{}},
		{"nothing", ``, wire.Envelope{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := wire.EnvelopeOf([]byte(test.line)); got != test.want {
				t.Errorf("%+v, want %+v", got, test.want)
			}
		})
	}
}

func TestTheEnvelopeOfADroppedLineDoesNotDependOnTheReads(t *testing.T) {
	const line = `{"jsonrpc":"2.0","result":"\\\"id\":1,xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx","id":"a"}`
	for name, src := range map[string]*wire.Reader{
		"whole":        wire.NewReader(strings.NewReader(line+"\n"), 10),
		"unterminated": wire.NewReader(strings.NewReader(line), 10),
		"byte by byte": wire.NewReader(iotest.OneByteReader(strings.NewReader(line+"\n")), 10),
		"in halves":    wire.NewReader(iotest.HalfReader(strings.NewReader(strings.Repeat(" ", 300_000)+line+"\n")), 10),
	} {
		_, err := src.ReadLine()
		got := must[*wire.TooLongError](t, err).Envelope
		if want := (wire.Envelope{ID: `"a"`, HasResultOrError: true}); got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
}

// The envelope agrees with the scanner on everything that both can read.
func TestTheEnvelopeOfAMessageAgreesWithItsScan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		object := rapid.MapOf(rapid.SampledFrom([]string{"id", "method", "result", "error", "x"}),
			rapid.SampledFrom([]any{1, "a\"b", nil, []any{map[string]any{"id": 1}}, map[string]any{"method": "{"}})).Draw(t, "message")
		line, _ := json.Marshal(object)
		var m wire.Message
		if err := new(wire.Scanner).Scan(line, &m); err != nil {
			t.Fatal(err)
		}
		want := wire.Envelope{ID: string(m.ID.Of(line)), HasMethod: m.Method.Present(), HasResultOrError: m.Result.Present() || m.Error.Present()}
		if strings.ContainsAny(want.ID, "{[") {
			want.ID = ""
		}
		if got := wire.EnvelopeOf(line); got != want {
			t.Fatalf("%s: %s, want %s", line, fmt.Sprint(got), fmt.Sprint(want))
		}
	})
}
