package gateway_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"mcp-aggregator/modules/gateway"
	"mcp-aggregator/modules/servers"
)

func TestMalformedMessagesAreRefused(t *testing.T) {
	h := newHTTPHarness(t, gateway.Options{})
	c := h.connect(t)
	for name, test := range map[string]struct{ body, want string }{
		"what is no JSON":           {`{"jsonrpc":"2.0","id":1,`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error: `},
		"nothing":                   {``, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,`},
		"what is no UTF-8":          {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,`},
		"a number":                  {`7`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid request: not a JSON-RPC message"}}`},
		"another version":           {`{"jsonrpc":"1.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"Invalid request: jsonrpc must be \"2.0\""}}`},
		"no version":                {`{"id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,`},
		"a method that is a number": {`{"jsonrpc":"2.0","id":1,"method":1}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"Invalid request: method must be a string"}}`},
		"an id that is null":        {`{"jsonrpc":"2.0","id":null,"method":"ping"}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid request: id must be a string or a number"}}`},
		"an id that is an object":   {`{"jsonrpc":"2.0","id":{},"method":"ping"}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,`},
		"an id that occurs twice":   {`{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid request: id occurs twice"}}`},
		"a name that occurs twice":  {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","\u006eame":"b"}}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"Invalid request: params.name occurs twice"}}`},
		"a method that occurs twice in a notification": {`{"jsonrpc":"2.0","method":"a","method":"b"}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,`},
	} {
		t.Run(name, func(t *testing.T) {
			got := c.post(t, test.body)
			if got.status != http.StatusBadRequest || got.kind != "application/json" || !strings.HasPrefix(got.body, test.want) || !json.Valid([]byte(got.body)) {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestRequestsAreAnswered(t *testing.T) {
	h := newHTTPHarness(t, gateway.Options{})
	c := h.connect(t)
	for name, test := range map[string]struct{ body, want string }{
		"ping":                        {`{"jsonrpc":"2.0","id":12345678901234567890123,"method":"ping"}`, `{"jsonrpc":"2.0","id":12345678901234567890123,"result":{}}`},
		"ping with an escaped name":   {`{"method":"p\u0069ng","id":"\/","jsonrpc":"2.0"}`, `{"jsonrpc":"2.0","id":"\/","result":{}}`},
		"an unknown method":           {`{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found: prompts/list"}}`},
		"one that is a notification":  {`{"jsonrpc":"2.0","id":1,"method":"notifications/initialized"}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found: notifications/initialized"}}`},
		"a list from a wrong cursor":  {`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x"}}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"tools/list: unknown cursor"}}`},
		"a call without params":       {`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"tools/call: params must be an object"}}`},
		"a call of what is no string": {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":1}}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"tools/call: name must be a string"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			got := c.post(t, test.body)
			if got.status != http.StatusOK || got.kind != "application/json" || got.body != test.want {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestNotificationsAndAnswersAreAccepted(t *testing.T) {
	h := newHTTPHarness(t, gateway.Options{})
	c := h.connect(t)
	for _, body := range []string{
		`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":[]}`,
		`{"jsonrpc":"2.0","method":"ping"}`,
		`{"jsonrpc":"2.0","id":1,"result":{}}`,
		`{"jsonrpc":"2.0","id":1,"id":2,"result":{}}`,
		`{"jsonrpc":"2.0","id":null,"error":{}}`,
	} {
		if got := c.post(t, body); got.status != http.StatusAccepted || got.body != "" {
			t.Errorf("%s: %+v", body, got)
		}
	}
}

// definitions returns the tools of the server srv.
func definitions() [][]byte {
	return [][]byte{
		[]byte(`{"name":"t","inputSchema":{"type":"object","maximum":1e400},"x":[1.0,{"a":1,"a":2}]}`),
		[]byte(`{"description":"d","name":"u\u0041"}`),
	}
}

func TestToolsAreListedUnderTheNamesThatTheClientTakes(t *testing.T) {
	h := newHTTPHarness(t, gateway.Options{})
	list := `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":null}}`
	if got := toolNames(t, h.connect(t).post(t, list).body); got != "list_servers server_status" {
		t.Error(got)
	}
	h.tools.ReplaceTools("srv", definitions())
	for client, want := range map[string]string{
		"somebody":  "list_servers server_status srv.t srv.uA",
		"claude-ai": "list_servers server_status srv__t srv__uA",
	} {
		v := h.connectAs(t, "2025-11-25", client, `{}`)
		if got := toolNames(t, v.post(t, list).body); got != want {
			t.Errorf("%s: %s", client, got)
		}
	}
	got := h.connect(t).post(t, list)
	mustContain(t, got.body, `{"name":"srv.t","inputSchema":{"type":"object","maximum":1e400},"x":[1.0,{"a":1,"a":2}]},{"description":"d","name":"srv.u\u0041"}]}}`)
}

func TestBuiltinTools(t *testing.T) {
	h := newHTTPHarness(t, gateway.Options{})
	c := h.connect(t)
	srv := `{"name":"srv","description":"it <does> & says \"much\"","transport_type":"STDIO","status":"CONNECTED","tool_count":2,` +
		`"registered_at":"1970-01-01T00:00:01Z","connected_at":"1970-01-01T00:00:02Z"}`
	off := `{"name":"off","transport_type":"HTTP","status":"ERROR","tool_count":0,"error_message":"connection refused","registered_at":"1970-01-01T00:00:03Z"}`
	for name, test := range map[string]struct{ params, want string }{
		"all servers":       {`{"name":"list_servers"}`, `"structuredContent":{"servers":[` + srv + `,` + off + `]}}`},
		"one server":        {`{"name":"server_status","arguments":{"name":"o\u0066f"}}`, `"structuredContent":` + off + `}`},
		"an unknown server": {`{"name":"server_status","arguments":{"name":"x"}}`, `"result":{"content":[{"type":"text","text":"there is no server x; list_servers lists them"}],"isError":true}}`},
		"no server":         {`{"name":"server_status"}`, `"text":"server_status: name must be a string"}],"isError":true}}`},
	} {
		t.Run(name, func(t *testing.T) {
			got := c.post(t, `{"jsonrpc":"2.0","id":"i","method":"tools/call","params":`+test.params+`}`)
			mustContain(t, got.body, test.want)
			mustContain(t, got.body, `{"jsonrpc":"2.0","id":"i","result":{"content":[{"type":"text","text":"`)
			var answer struct {
				Result struct {
					Content           []struct{ Text string }
					StructuredContent json.RawMessage
				}
			}
			if err := json.Unmarshal([]byte(got.body), &answer); err != nil {
				t.Fatal(err)
			}
			if s := answer.Result.StructuredContent; s != nil && answer.Result.Content[0].Text != string(s) {
				t.Error("the text is something else")
			}
			if strings.Contains(got.body, "s3cr3t") {
				t.Error("a secret is shown")
			}
		})
	}
}

func TestABodyThatCannotBeReadIsRefusedWithTheReason(t *testing.T) {
	h := newHarness(t, gateway.Options{})
	for reason, want := range map[error]int{
		&servers.BusyError{}:       http.StatusServiceUnavailable,
		os.ErrDeadlineExceeded:     http.StatusRequestTimeout,
		io.ErrUnexpectedEOF:        http.StatusBadRequest,
		&http.MaxBytesError{}:      http.StatusRequestEntityTooLarge,
		errors.New("it is broken"): http.StatusBadRequest,
	} {
		r, w := h.request(`{}`, ""), httptest.NewRecorder()
		r.Body = io.NopCloser(iotest.ErrReader(reason))
		h.ServeHTTP(w, r)
		if w.Code != want || (w.Header().Get("Retry-After") != "") != (want == http.StatusServiceUnavailable) {
			t.Errorf("%v: %d %v", reason, w.Code, w.Header())
		}
	}
}

func TestHeadersAreChecked(t *testing.T) {
	h := newHTTPHarness(t, gateway.Options{})
	c := h.connect(t)
	body := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	for name, test := range map[string]struct {
		header, value string
		status        int
	}{
		"any type is accepted":                      {"Accept", "*/*", 200},
		"types are accepted with parameters":        {"Accept", "text/*;q=0.5, application/*", 200},
		"events are not accepted":                   {"Accept", "application/json", 400},
		"JSON is not accepted":                      {"Accept", "text/event-stream", 400},
		"no Accept":                                 {"Accept", "", 400},
		"the body has a charset":                    {"Content-Type", "application/json; charset=utf-8", 200},
		"text as content type":                      {"Content-Type", "text/plain", 415},
		"no content type":                           {"Content-Type", "", 415},
		"the revision is another one that there is": {"Mcp-Protocol-Version", "2025-03-26", 200},
		"no revision is given":                      {"Mcp-Protocol-Version", "", 200},
		"the revision is unknown":                   {"Mcp-Protocol-Version", "2024-11-05", 400},
		"the revision is of the future":             {"Mcp-Protocol-Version", "2099-01-01", 400},
	} {
		t.Run(name, func(t *testing.T) {
			if got := c.withHeader(test.header, test.value).post(t, body); got.status != test.status {
				t.Errorf("%+v", got)
			}
		})
	}
	for _, version := range []string{"2024-11-05", "2099-01-01"} {
		client := c.withHeader("Mcp-Protocol-Version", version)
		for _, method := range []string{http.MethodGet, http.MethodDelete} {
			got := client.do(t, method, "")
			mustContain(t, fmt.Sprintln(got.status, got.body), "400 Mcp-Protocol-Version: use one of 2025-11-25, 2025-06-18, 2025-03-26")
		}
	}
	if got := c.do(t, http.MethodPut, body); got.status != http.StatusMethodNotAllowed || got.header.Get("Allow") == "" {
		t.Errorf("%+v", got)
	}
	if got := c.withHeader("Accept", "application/json").do(t, http.MethodGet, ""); got.status != http.StatusBadRequest {
		t.Errorf("%+v", got)
	}
	if got := c.post(t, body); got.status != http.StatusOK {
		t.Errorf("the session suffered: %+v", got)
	}
}

func TestCrossOriginRequestsAreRefused(t *testing.T) {
	h := newHTTPHarness(t, gateway.Options{})
	c := h.connect(t)
	for origin, status := range map[string]int{
		"https://evil.example": 403, "null": 403, "http://127.0.0.1:1": 403, "::": 403,
		h.server.URL: 200,
	} {
		got := c.withHeader("Origin", origin).post(t, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		if got.status != status {
			t.Errorf("%s: %+v", origin, got)
		}
	}
	if got := h.clientWithoutSession().withHeader("Host", "evil.example").post(t, initialize("2025-11-25", "a", `{}`)); got.status != http.StatusForbidden {
		t.Errorf("a name that leads here: %+v", got)
	}
}

func TestTheSizeOfAMessageIsBounded(t *testing.T) {
	h := newHTTPHarness(t, gateway.Options{MaxMessage: 1000})
	c := h.connect(t)
	for size, status := range map[int]int{1000: http.StatusOK, 1001: http.StatusRequestEntityTooLarge} {
		body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"ping"%*s`, size-39, "}")
		if len(body) != size {
			t.Fatal(len(body))
		}
		if got := c.post(t, body); got.status != status {
			t.Errorf("%d: %+v", size, got)
		}
	}
}
