package rest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"mcp-aggregator/modules/rest"
	"mcp-aggregator/modules/servers"
)

func toolsNamed(names ...string) func(context.Context) ([]servers.Tool, error) {
	var tools []servers.Tool
	for _, name := range names {
		tools = append(tools, servers.Tool{Server: githubID, Namespaced: name, Definition: []byte(`{}`)})
	}
	return func(context.Context) ([]servers.Tool, error) { return tools, nil }
}

// arguments are legal arguments, which arrive byte for byte.
var arguments = map[string]string{
	"none":                                "",
	"an empty object":                     `{}`,
	"numbers that no float holds":         `{"n":9007199254740993,"x":1e400,"y":-0.0,"z":1E+2}`,
	"unusual order, and white space":      `{ "z" : 1 ,` + "\t\n" + ` "a" : [ ] }`,
	"repeated members":                    `{"a":1,"a":2,"name":"n","server_id":3}`,
	"escapes and lone surrogates":         `{"t":"\u0041\/\ud800<&>é\u2028"}`,
	"members named like the call's":       `{"arguments":{"name":"x"},"metadata":{}}`,
	"nesting of 100,000 levels":           `{"a":` + strings.Repeat(`[`, 100_000) + strings.Repeat(`]`, 100_000) + `}`,
	"a text of three megabytes":           `{"t":"` + strings.Repeat("0123456789ab", 250_000) + `"}`,
	"null, true and false within":         `{"a":null,"b":[true,false]}`,
	"characters that HTML escaping knows": `{"t":"<script>&amp;</script>"}`,
}

func TestArgumentsPassByteForByte(t *testing.T) {
	for name, raw := range arguments {
		t.Run(name, func(t *testing.T) {
			f := newFakes()
			var got rest.Call
			f.tools.CallFn = func(_ context.Context, c rest.Call) (rest.Answer, error) {
				got = c
				return rest.Answer{Result: []byte(`{}`)}, nil
			}
			body, want := `{"server_id":"id","name":"a\u0062"}`, rest.Call{Name: "ab", ServerID: "id"}
			if raw != "" {
				body, want.Arguments = `{"arguments" : `+raw+` ,"server_id":"id","n\u0061me":"a\u0062"}`, []byte(raw)
			}
			if answer := send(t, f.start(t), http.MethodPost, callPath, body); answer.status != http.StatusOK {
				t.Fatalf("%d %.300s", answer.status, answer.body)
			}
			if got.Name != want.Name || got.ServerID != want.ServerID || !bytes.Equal(got.Arguments, want.Arguments) {
				t.Errorf("got %.1000s\nwant %.1000s", got.Arguments, want.Arguments)
			}
		})
	}
}

// results are legal and nearly legal results. END marks where the metadata is inserted.
var results = map[string]string{
	"nothing":                             `{END}`,
	"a usual result":                      `{"content":[{"type":"text","text":"x"}],"isError":false,END}`,
	"integers beyond 2^53":                `{"content":[],"structuredContent":{"n":9007199254740993,"m":-123456789012345678901234567890},END}`,
	"numbers that no float holds":         `{"a":1e400,"b":1.0,"c":1E+2,"d":-0,"e":0.10,"f":1.7976931348623157e309,END}`,
	"unknown members":                     `{"content":[],"futureMember":{"x":[1,{"y":null}]},"_meta":{"vendor/x":true},END}`,
	"an unknown content type":             `{"content":[{"type":"hologram","depth":3,"data":"..."}],END}`,
	"unusual order":                       `{"zeta":1,"isError":true,"content":[{"text":"x","type":"text"}],"alpha":2,END}`,
	"repeated members":                    `{"a":1,"a":2,"content":[],"content":[{"type":"text","text":"second"}],END}`,
	"escapes kept as written":             `{"content":[{"type":"text","text":"\u0041\/\n\u00e9é\u2028\ud83d\ude00😀"}],END}`,
	"lone surrogates":                     `{"content":[{"type":"text","text":"\ud800 and \udc00"}],END}`,
	"characters that HTML escaping knows": `{"content":[{"type":"text","text":"<script>&amp;</script>"}],END}`,
	"content null":                        `{"content":null,END}`,
	"white space everywhere":              "\t{ \"content\" : [ ] , \"x\" : 1 ,END} \n",
	"white space in nothing":              "{ END}",
	"nesting of 100,000 levels":           `{"x":` + strings.Repeat(`[`, 100_000) + strings.Repeat(`]`, 100_000) + `,END}`,
	"a text of three megabytes":           `{"content":[{"type":"text","text":"` + strings.Repeat("0123456789ab", 250_000) + `"}],END}`,
	"braces in texts":                     `{"x":"}","y":"{",END}`,
	"a task of a later MCP":               `{"resultType":"task","task":{"taskId":"t","status":"working","ttl":60000},END}`,
	"metadata further down":               `{"_meta":{"metadata":1},END}`,
}

const metadata = `{"routed_to":"git\"hub","routing_time_ms":0.25,"execution_time_ms":1500}`

// call calls a tool that returns the result, and returns the body of the response.
func call(t *testing.T, result string) string {
	t.Helper()
	f := newFakes()
	f.tools.CallFn = func(context.Context, rest.Call) (rest.Answer, error) {
		return rest.Answer{Result: []byte(result), RoutedTo: `git"hub`, Routing: 250 * time.Microsecond, Execution: 1500 * time.Millisecond}, nil
	}
	answer := send(t, f.start(t), http.MethodPost, callPath, goodCall)
	if answer.status != http.StatusOK || answer.header.Get("Content-Type") != "application/json" {
		t.Fatalf("%d %.300s", answer.status, answer.body)
	}
	if !json.Valid([]byte(answer.body)) && !strings.Contains(result, "[[[") { // too deep for encoding/json
		t.Errorf("no JSON: %.300s", answer.body)
	}
	return answer.body
}

func TestResultsPassByteForByteAndMetadataIsTheLastMember(t *testing.T) {
	for name, result := range results {
		t.Run(name, func(t *testing.T) {
			sent := strings.Replace(strings.Replace(result, ",END", "", 1), "END", "", 1)
			want := strings.Replace(result, "END", `"metadata":`+metadata, 1)
			if got := call(t, sent); got != want {
				t.Errorf("got %.500s\nwant %.500s", got, want)
			}
		})
	}
}

func TestMetadataOfTheResultStays(t *testing.T) {
	for name, tt := range map[string]struct{ result, want string }{
		"any":            {`{"metadata":{ "a":1},"content":[]}`, `{"metadata":{ "a":1},"content":[],"aggregator_metadata":` + metadata + `}`},
		"null":           {`{"metadata":null}`, `{"metadata":null,"aggregator_metadata":` + metadata + `}`},
		"twice":          {`{"metadata":1,"metadata":2}`, `{"metadata":1,"metadata":2,"aggregator_metadata":` + metadata + `}`},
		"escaped":        {`{"metad\u0061ta":1}`, `{"metad\u0061ta":1,"aggregator_metadata":` + metadata + `}`},
		"under both":     {`{"metadata":1,"aggregator_metadata":2}`, `{"metadata":1,"aggregator_metadata":2,"aggregator_aggregator_metadata":` + metadata + `}`},
		"only the other": {`{"aggregator_metadata":2}`, `{"aggregator_metadata":2,"metadata":` + metadata + `}`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := call(t, tt.result); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestTheErrorOfAServerIsVerbatim(t *testing.T) {
	for name, raw := range map[string]string{
		"data":            `{"code":-32000,"message":"<m>","data":{"retryAfter":9007199254740993,"list":[1e400]}}`,
		"unknown members": `{"code":12345678901234567890,"message":"m", "extra" : true,"extra":2}`,
		"a text":          `"just text"`,
	} {
		t.Run(name, func(t *testing.T) {
			f := newFakes()
			callFails(&servers.RPCError{Server: "files", Raw: []byte(raw)})(f)
			got := send(t, f.start(t), http.MethodPost, callPath, goodCall)
			want := `{"title":"Bad Gateway","status":502,"code":"server_error","detail":"server \"files\" answered with an error","server":"files","error":` + raw + `}`
			if got.body != want {
				t.Errorf("got  %s\nwant %s", got.body, want)
			}
		})
	}
}

// FuzzCallBody checks that a body that is JSON is refused with faults, or read as
// encoding/json reads it, and that its arguments are a piece of it.
func FuzzCallBody(f *testing.F) {
	for _, raw := range arguments {
		if len(raw) < 1000 {
			f.Add([]byte(`{"name":"a","arguments":` + raw + `}`))
		}
	}
	for _, body := range []string{`{}`, `[]`, `null`, `{"name":"","server_id":""}`, `{"name":1,"arguments":[],"x":0}`, goodCall, `{"name":"a","name":"b"}`} {
		f.Add([]byte(body))
	}
	api := newFakes().api()
	f.Fuzz(func(t *testing.T, body []byte) {
		body = []byte(strings.Trim(string(body), " \t\r\n"))
		if !json.Valid(body) {
			t.Skip()
		}
		got, err := api.ParseCall(body)
		var want struct {
			Name      string          `json:"name"`
			ServerID  string          `json:"server_id"`
			Arguments json.RawMessage `json:"arguments"`
		}
		if err != nil {
			if !strings.Contains(err.Error(), "see errors") || got.Name != "" {
				t.Errorf("%q: %v %+v", body, err, got)
			}
			return
		}
		if err := json.Unmarshal(body, &want); err != nil {
			t.Fatalf("%q: %v", body, err)
		}
		if got.Name != want.Name || got.ServerID != want.ServerID || string(got.Arguments) != string(want.Arguments) {
			t.Errorf("%q is read as %+v", body, got)
		}
	})
}
