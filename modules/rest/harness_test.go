package rest_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"mcp-aggregator/modules/rest"
)

// start serves the API over HTTP and returns its address.
func (f *fakes) start(tb testing.TB) string {
	tb.Helper()
	server := httptest.NewServer(f.api())
	tb.Cleanup(server.Close)
	return server.URL
}

// response is a response whose body has been read.
type response struct {
	status int
	header http.Header
	body   string
}

// send sends a request with a body as JSON, if there is one.
func send(tb testing.TB, address, method, path, body string) response {
	tb.Helper()
	request, err := http.NewRequestWithContext(tb.Context(), method, address+path, strings.NewReader(body))
	if err != nil {
		tb.Fatal(err)
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	return do(tb, request)
}

func do(tb testing.TB, request *http.Request) response {
	tb.Helper()
	transport := &http.Transport{DisableKeepAlives: true, ExpectContinueTimeout: time.Minute}
	answer, err := transport.RoundTrip(request)
	if err != nil {
		tb.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		tb.Fatal(err)
	}
	return response{answer.StatusCode, answer.Header, string(text)}
}

// get returns the member at the path of a JSON text.
func get(tb testing.TB, text string, path ...any) any {
	tb.Helper()
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		tb.Fatalf("%v: %.1000s", err, text)
	}
	for _, step := range path {
		switch at := step.(type) {
		case string:
			value = value.(map[string]any)[at]
		case int:
			value = value.([]any)[at]
		}
	}
	return value
}

// request sends one request over HTTP to an API with the fakes, behind Guard as in the
// service. A body is sent as JSON.
func (f *fakes) request(tb testing.TB, method, path, body string, edit func(*http.Request)) response {
	tb.Helper()
	api := f.api()
	server := httptest.NewServer(rest.Guard("127.0.0.1:8080", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if f.bodyFails != nil {
			r.Body = io.NopCloser(iotest.ErrReader(f.bodyFails))
		}
		sent := r.Body
		api.ServeHTTP(w, r)
		_ = http.NewResponseController(w).Flush()
		_, _ = io.CopyN(io.Discard, sent, 4<<20) // as the service does, or the client may not see the answer
	})))
	defer server.Close()
	request, err := http.NewRequestWithContext(tb.Context(), method, server.URL+path, strings.NewReader(body))
	if err != nil {
		tb.Fatal(err)
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	if edit != nil {
		edit(request)
	}
	return do(tb, request)
}

func upper(method string) string { return strings.ToUpper(method) }
