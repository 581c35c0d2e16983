package wire_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcp-aggregator/modules/wire"
)

func TestKindNames(t *testing.T) {
	want := map[wire.Kind]string{
		wire.Other: "other", wire.Request: "request", wire.Notification: "notification",
		wire.Response: "response", wire.Batch: "batch", wire.Batch + 1: "unknown",
	}
	for kind, name := range want {
		if got := kind.String(); got != name {
			t.Errorf("Kind(%d) is called %q, want %q", kind, got, name)
		}
	}
}

func TestKindOfALine(t *testing.T) {
	tests := []struct {
		name, line string
		want       wire.Kind
	}{
		{"a method and an id make a request", `{"id":1,"method":"m"}`, wire.Request},
		{"an id of null is an id", `{"id":null,"method":"m"}`, wire.Request},
		{"a method without an id makes a notification", `{"method":"m"}`, wire.Notification},
		{"an id and a result make a response", `{"id":1,"result":{}}`, wire.Response},
		{"an id and an error make a response", `{"id":null,"error":{}}`, wire.Response},
		{"a result and an error make a response", `{"id":1,"result":0,"error":0}`, wire.Response},
		{"a result of null is a result", `{"id":1,"result":null}`, wire.Response},
		{"a request stays one with a result", `{"id":1,"method":"m","result":1}`, wire.Request},
		{"a notification stays one with an error", `{"method":"m","error":1}`, wire.Notification},
		{"types of members do not count", `{"id":{},"method":5}`, wire.Request},
		{"a result without an id is not a message", `{"result":1}`, wire.Other},
		{"an error without an id is not a message", `{"error":1}`, wire.Other},
		{"an id alone is not a message", `{"jsonrpc":"2.0","id":1,"params":{}}`, wire.Other},
		{"an empty object is not a message", `{}`, wire.Other},
		{"member names are compared by case", `{"ID":1,"Method":"m"}`, wire.Other},
		{"an array is a batch", `[{"id":1,"method":"m"}]`, wire.Batch},
		{"an empty array is a batch", `[]`, wire.Batch},
		{"a string is not a message", `"id"`, wire.Other},
		{"a number is not a message", `1`, wire.Other},
		{"a literal is not a message", `null`, wire.Other},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := scanLine(t, tt.line)
			if m.Kind != tt.want {
				t.Errorf("%s is a %v, want %v", tt.line, m.Kind, tt.want)
			}
		})
	}
}

func TestMembersOfALine(t *testing.T) {
	tests := []struct {
		name, line string
		want       map[string]string
	}{
		{
			"every routing member is found",
			`{"jsonrpc":"2.0","id":7,"method":"m","params":[1],"result":{"a":1},"error":null}`,
			map[string]string{
				"jsonrpc": `"2.0"`, "id": "7", "method": `"m"`, "params": "[1]",
				"result": `{"a":1}`, "error": "null",
			},
		},
		{
			"white space around values is left out",
			" \t\r\n{ \"id\" \t: \r\n 1e2 \n, \"params\" : { \"name\" : \"a\" , \"x\":1 } } \t\r\n",
			map[string]string{"id": "1e2", "params": `{ "name" : "a" , "x":1 }`, "params.name": `"a"`},
		},
		{
			"escaped names are unescaped",
			`{"\u006a\u0073\u006f\u006e\u0072\u0070\u0063":0,"\u0069d":1,"m\u0065thod":"m","\u0070\u0061\u0072\u0061\u006d\u0073":{"n\u0061me":2}}`,
			map[string]string{
				"jsonrpc": "0", "id": "1", "method": `"m"`, "params": `{"n\u0061me":2}`, "params.name": "2",
			},
		},
		{"escapes stay in values", `{"id":"\u0041\n"}`, map[string]string{"id": `"\u0041\n"`}},
		{"names that only begin alike are others", `{"ids":1,"i":2,"":3,"id\u0000":4,"\\id":5}`, nil},
		{"a name of params that is an array is none", `{"params":["name"]}`, map[string]string{"params": `["name"]`}},
		{
			"the name of params may be of any type", `{"params":{"name":{"name":1}}}`,
			map[string]string{"params": `{"name":{"name":1}}`, "params.name": `{"name":1}`},
		},
		{
			"members further down are not looked at",
			`{"x":{"id":1,"name":2},"params":{"x":{"name":3},"id":4,"method":5}}`,
			map[string]string{"params": `{"x":{"name":3},"id":4,"method":5}`},
		},
		{"a top-level name is not that of params", `{"name":1}`, nil},
		{"elements of a batch are not looked at", `[{"id":1}]`, nil},
		{
			"names too long to be escaped ones are others",
			`{"\u0069\u0069\u0069\u0069\u0069\u0069\u0069\u0069":1}`, nil,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := scanLine(t, tt.line)
			if tt.want == nil {
				tt.want = map[string]string{}
			}
			if diff := cmp.Diff(tt.want, membersOf(&m)); diff != "" {
				t.Errorf("%s: -want +got\n%s", tt.line, diff)
			}
		})
	}
}

func TestDuplicateMembers(t *testing.T) {
	tests := []struct{ name, line, want string }{
		{"none occurs twice", `{"jsonrpc":1,"id":1,"method":2,"params":{"name":1},"result":3,"error":4}`, ""},
		{"jsonrpc occurs twice", `{"jsonrpc":1,"jsonrpc":1}`, "jsonrpc"},
		{"id occurs twice", `{"id":1,"x":2,"id":1}`, "id"},
		{"method occurs twice", `{"method":1,"method":2}`, "method"},
		{"params occurs twice", `{"params":1,"params":{"name":1}}`, "params"},
		{"result occurs twice", `{"result":1,"result":2}`, "result"},
		{"error occurs twice", `{"error":1,"error":2}`, "error"},
		{"name of params occurs twice", `{"params":{"name":1,"name":2}}`, "params.name"},
		{"one of the two is escaped", `{"id":1,"\u0069\u0064":2}`, "id"},
		{"an escaped name of params occurs twice", `{"params":{"n\u0061me":1,"name":2}}`, "params.name"},
		{"two occur twice, the first is reported", `{"id":1,"method":1,"method":2,"id":2}`, "method"},
		{"name is reported before the end of params", `{"params":{"name":1,"name":2},"params":1}`, "params.name"},
		{"other members may occur twice", `{"x":1,"x":2,"params":{"y":1,"y":2}}`, ""},
		{"a second params gives no second name", `{"params":{"name":1},"params":{"name":2}}`, "params"},
		{"nested members may occur twice", `{"result":{"id":1,"id":2},"x":{"name":1,"name":1}}`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if m := scanLine(t, tt.line); m.Duplicate != tt.want {
				t.Errorf("%s: duplicate %q, want %q", tt.line, m.Duplicate, tt.want)
			}
		})
	}
}

func TestFirstOfTwoMembersIsKept(t *testing.T) {
	m := scanLine(t, `{"id":1,"params":{"name":2,"name":3},"id":4,"params":{"name":5}}`)
	want := map[string]string{"id": "1", "params": `{"name":2,"name":3}`, "params.name": "2"}
	if diff := cmp.Diff(want, membersOf(&m)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestSecondParamsGivesNoName(t *testing.T) {
	m := scanLine(t, `{"params":[],"params":{"name":5}}`)
	if m.Name.Present() {
		t.Errorf("name is %s, want none: it is not that of the params kept", m.Name.Of(m.Line))
	}
}

func TestSpanZeroIsAbsent(t *testing.T) {
	var none wire.Span
	if none.Present() {
		t.Error("the zero span is present")
	}
	if got := none.Of([]byte("line")); got != nil {
		t.Errorf("the zero span of a line is %q, want nil", got)
	}
}

func TestSpanOfIsTheBytesOfTheLine(t *testing.T) {
	line := []byte("abcdef")
	span := wire.Span{Start: 1, End: 3}
	if !span.Present() || string(span.Of(line)) != "bc" {
		t.Errorf("got %q, want bc", span.Of(line))
	}
}

func TestAppendingToASpanLeavesTheLineAlone(t *testing.T) {
	line := []byte("abcdef")
	_ = append(wire.Span{Start: 1, End: 3}.Of(line), 'X')
	if string(line) != "abcdef" {
		t.Errorf("the line became %q", line)
	}
}
