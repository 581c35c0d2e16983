package remote_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"mcp-aggregator/modules/remote"
	"mcp-aggregator/modules/servers"
	"mcp-aggregator/modules/sessions"
)

func logTo(w *logBuffer) *slog.Logger { return slog.New(slog.NewTextHandler(w, nil)) }

func TestWhyAServerCannotBeDialed(t *testing.T) {
	gone := httptest.NewServer(nil)
	gone.Close()
	tests := map[string]struct {
		handler http.HandlerFunc
		url     string
		headers map[string]string
		want    string // in the error; both transports
	}{
		"nothing listens":                    {nil, gone.URL, nil, "the server cannot be reached: dial tcp"},
		"the address is none":                {nil, "localhost:80", nil, "url: it must begin with http:// or https://"},
		"the address is no URL":              {nil, "http://a b/%zz", nil, "url: it is no URL"},
		"a header cannot be sent":            {nil, gone.URL, map[string]string{"a": "b\nc"}, `headers: "a" is no header that can be sent`},
		"a header that has calls sent again": {nil, gone.URL, map[string]string{"X-Idempotency-Key": "1"}, `headers: "X-Idempotency-Key" cannot be`},
		"it is not let in":                   {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }, "", nil, "status 401 Unauthorized: look at the headers"},
		"nothing is at the address":          {http.NotFound, "", nil, "status 404 Not Found"},
		"it redirects elsewhere":             {redirectTo("https://elsewhere.example/mcp", 307), "", nil, "status 307 Temporary Redirect: redirects are not followed to another host"},
		"it redirects for ever":              {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/", http.StatusPermanentRedirect) }, "", nil, "status 308 Permanent Redirect"},
		"it says a secret": {func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "bad token hunter2", http.StatusBadRequest)
		}, "", nil, "bad token [redacted]"},
		"it breaks the connection": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "", nil, "the connection broke before the server answered: EOF"},
		"it is a web page":         {func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Type", "text/html") }, "", nil, "the server answers with status 200 OK and no"},
	}
	for name, test := range tests {
		for _, transport := range []servers.Transport{servers.SSE, servers.HTTP} {
			t.Run(name+", "+string(transport), func(t *testing.T) {
				url := test.url
				if test.handler != nil {
					h := httptest.NewServer(test.handler)
					defer h.Close()
					url = h.URL
				}
				_, err := dial(t, transport, url, dialSettings{headers: test.headers, secrets: []string{"hunter2"}})
				if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
					t.Errorf("the error is %v", err)
				}
			})
		}
	}
}

func redirectTo(url string, status int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, url, status) }
}

func TestAServerThatRefusesInitializeIsNotConnected(t *testing.T) {
	for name, test := range map[string]struct{ answer, want string }{
		"an error":            {`"error":{"code":"odd","message":"go away"}`, `initialize: the server answered with the error {"code":"odd","message":"go away"}`},
		"a later version":     {`"result":{"protocolVersion":"2026-07-28","capabilities":{}}`, `protocol version "2026-07-28", which was not offered`},
		"an unknown version":  {`"result":{"protocolVersion":"1"}`, `unsupported protocol version: "1"`},
		"no version":          {`"result":[]`, `unsupported protocol version: ""`},
		"a list that is none": {`"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}}}`, "tools/list: the result has no array of tools"},
	} {
		for way, by := range transports {
			t.Run(name+", "+way, func(t *testing.T) {
				b := (&backend{documents: by.documents, list: func(string) string { return `{"tools":{}}` }})
				b.initialize = func(x exchange) { x.send(`{"jsonrpc":"2.0","id":%s,%s}`, x.id, test.answer) }
				b.start(t)
				if _, err := dial(t, by.transport, b.url(by.transport), dialSettings{}); err == nil || !strings.Contains(err.Error(), test.want) {
					t.Errorf("the error is %v", err)
				}
			})
		}
	}
}

func TestDialEndsWithItsContext(t *testing.T) {
	for _, transport := range []servers.Transport{servers.SSE, servers.HTTP} {
		t.Run(string(transport), func(t *testing.T) {
			h := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body) // or the server does not notice the end of the connection
				<-r.Context().Done()
			}))
			defer h.Close()
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			dialer := remote.NewDialers(slog.New(slog.DiscardHandler), remote.Options{})[transport]
			_, err := dialer.Dial(ctx, sessions.Target{Server: servers.Server{Connection: servers.Connection{URL: h.URL}}}, newPeer())
			if err == nil || err.Error() != "the server did not answer in time" {
				t.Errorf("the error is %v", err)
			}
			h.CloseClientConnections()
		})
	}
}

func TestASessionOutlivesTheContextOfDial(t *testing.T) {
	for way, by := range transports {
		t.Run(way, func(t *testing.T) {
			b := (&backend{documents: by.documents, handle: func(x exchange) {
				x.send(`{"jsonrpc":"2.0","id":%s,"result":{}}`, x.id)
			}}).start(t)
			c := connect(t, by.transport, b.url(by.transport)) // its context has ended
			c.result(c.callTool("x"))
			select {
			case <-c.Done():
				t.Errorf("it ended: %v", c.Err())
			default:
			}
		})
	}
}

func TestAStreamWithoutAHeaderDoesNotDelayDial(t *testing.T) {
	b := (&backend{intercept: func(_ http.ResponseWriter, r *http.Request, _ string) bool {
		if r.Method == http.MethodGet {
			<-r.Context().Done()
		}
		return r.Method == http.MethodGet
	}}).start(t)
	connect(t, servers.HTTP, b.url(servers.HTTP))
}

func TestEveryRequestHasTheHeaders(t *testing.T) {
	for way, by := range transports {
		t.Run(way, func(t *testing.T) {
			b := (&backend{documents: by.documents, handle: func(x exchange) { x.send(`{"jsonrpc":"2.0","id":%s,"result":{}}`, x.id) }}).start(t)
			c, err := dial(t, by.transport, b.url(by.transport), dialSettings{headers: map[string]string{"authorization": "Bearer x", "Accept": "nothing"}})
			if err != nil {
				t.Fatal(err)
			}
			c.result(c.callTool("x"))
			c.Close()
			for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodDelete} {
				for i, r := range b.requests(method) {
					if r.Header.Get("Authorization") != "Bearer x" || r.Header.Get("Accept") == "nothing" && by.transport == servers.HTTP && method == http.MethodPost {
						t.Errorf("%s %d has %v", method, i, r.Header)
					}
					if first := method == http.MethodPost && i == 0; by.transport == servers.HTTP && !first &&
						(r.Header.Get("Mcp-Session-Id") != "the-session" || r.Header.Get("Mcp-Protocol-Version") != "2025-11-25") {
						t.Errorf("%s %d has %v", method, i, r.Header)
					}
				}
			}
		})
	}
}

func TestARedirectWithinTheServerIsFollowedOnce(t *testing.T) {
	for _, status := range []int{307, 308} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			b := &backend{handle: func(x exchange) { x.send(`{"jsonrpc":"2.0","id":%s,"result":{}}`, x.id) }}
			b.intercept = func(w http.ResponseWriter, r *http.Request, _ string) bool {
				if r.URL.Path == "/mcp" {
					http.Redirect(w, r, "/mcp/", status)
				}
				return r.URL.Path == "/mcp"
			}
			b.start(t)
			c := connect(t, servers.HTTP, b.url(servers.HTTP))
			c.result(c.callTool("x"))
			if n := len(b.received("tools/call")); n != 2 { // once to each address
				t.Errorf("the call was sent %d times", n)
			}
		})
	}
}

func TestACallThatIsRedirectedElsewhereIsNotFollowed(t *testing.T) {
	headers := make(chan http.Header, 10)
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { headers <- r.Header }))
	defer other.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			b := (&backend{intercept: func(w http.ResponseWriter, r *http.Request, body string) bool {
				away := strings.Contains(body, "tools/call")
				if away {
					http.Redirect(w, r, other.URL, status)
				}
				return away
			}}).start(t)
			c, err := dial(t, servers.HTTP, b.url(servers.HTTP), dialSettings{headers: map[string]string{"Authorization": "Bearer x"}})
			if err != nil {
				t.Fatal(err)
			}
			if err := c.failure(c.callTool("x")); err.Unsent != (status >= 307) { // the others may mean that the request was executed
				t.Errorf("it failed with %v, unsent: %v", err, err.Unsent)
			}
			if len(headers) > 0 {
				t.Errorf("another server got a request, with %v", <-headers)
			}
		})
	}
}

func TestAnAddressForMessagesOnAnotherServerIsRefused(t *testing.T) {
	headers := make(chan http.Header, 10)
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { headers <- r.Header }))
	defer other.Close()
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "event: endpoint\ndata: %s/message\n\n", other.URL)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}))
	defer h.Close()
	if _, err := dial(t, servers.SSE, h.URL, dialSettings{}); err == nil || err.Error() != "the server wants its messages sent to another server" {
		t.Errorf("the error is %v", err)
	}
	if len(headers) > 0 {
		t.Errorf("the other server got a request, with %v", <-headers)
	}
}

func TestTLSOlderThanOneTwoIsRefused(t *testing.T) {
	for _, transport := range []servers.Transport{servers.SSE, servers.HTTP} {
		t.Run(string(transport), func(t *testing.T) {
			h := httptest.NewUnstartedServer(http.NotFoundHandler())
			h.TLS = &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}
			h.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
			h.StartTLS()
			defer h.Close()
			if _, err := dial(t, transport, h.URL, dialSettings{}); err == nil || !strings.Contains(err.Error(), "protocol version") {
				t.Errorf("the error is %v", err)
			}
		})
	}
}
