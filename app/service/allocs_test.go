package service_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"mcp-aggregator/testutil"
)

// post is a POST to /mcp that can be sent repeatedly.
type post struct {
	request *http.Request
	body    *strings.Reader
	text    string
	writer  discard
}

// discard is a ResponseWriter that drops the body.
type discard struct {
	header http.Header
	status int
	size   int
}

func (d *discard) Header() http.Header    { return d.header }
func (d *discard) WriteHeader(status int) { d.status = status }

func (d *discard) Write(p []byte) (int, error) {
	d.size += len(p)
	return len(p), nil
}

func newPost(s *running, path, session, text string) *post {
	p := &post{body: new(strings.Reader), text: text, writer: discard{header: make(http.Header)}}
	p.request = httptest.NewRequest(http.MethodPost, s.url+path, nil)
	p.request.Body, p.request.ContentLength = io.NopCloser(p.body), int64(len(text))
	p.request.Header.Set("Content-Type", "application/json")
	p.request.Header.Set("Accept", "application/json, text/event-stream")
	if session != "" {
		p.request.Header.Set("Mcp-Session-Id", session)
		p.request.Header.Set("Mcp-Protocol-Version", "2025-11-25")
	}
	return p
}

func (p *post) to(handler http.Handler) {
	p.body.Reset(p.text)
	p.writer.size = 0
	handler.ServeHTTP(&p.writer, p.request)
}

// The most that one call allocates, of an argument and a result of 100 bytes, from the
// handler of its request to a stdio child and back, as recorded with the race detector,
// which adds some. What net/http adds around it is not counted.
func TestACallAllocatesLittle(t *testing.T) {
	s := start(t, testutil.Spawner{"frugal": testutil.EchoArguments})
	s.await(s.register("frugal", "STDIO", `{"command":"frugal"}`).ID, "CONNECTED")
	call := `{"name":"frugal.x","arguments":{"a":"` + strings.Repeat("x", 100) + `"}}`
	for through, c := range map[string]struct {
		post          *post
		allocs, bytes float64
	}{
		"MCP":  {newPost(s, "/mcp", s.connect("test", "{}").session, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":`+call+`}`), 26, 3500},
		"REST": {newPost(s, "/api/v1/tools/call", "", call), 46, 4650},
	} {
		t.Run(through, func(t *testing.T) {
			ask := func() {
				if c.post.to(s.handler); c.post.writer.status != http.StatusOK || c.post.writer.size < 100 {
					t.Errorf("%d with %d bytes", c.post.writer.status, c.post.writer.size)
				}
			}
			for range 100 { // buffers grow to their sizes
				ask()
			}
			allocs, bytes := allocated(1000, ask)
			t.Logf("%.1f allocations of %.0f bytes a call", allocs, bytes)
			if allocs > c.allocs*1.1 || bytes > c.bytes*1.1 {
				t.Errorf("%.1f allocations of %.0f bytes a call, more than the %.0f of %.0f recorded", allocs, bytes, c.allocs, c.bytes)
			}
		})
	}
}

// allocated returns the allocations of n calls, per call.
func allocated(n int, call func()) (allocs, bytes float64) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range n {
		call()
	}
	runtime.ReadMemStats(&after)
	return float64(after.Mallocs-before.Mallocs) / float64(n), float64(after.TotalAlloc-before.TotalAlloc) / float64(n)
}
