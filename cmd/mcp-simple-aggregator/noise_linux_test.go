package main_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// noisy is a server that writes lines that are no messages: before its first response,
// before every other, and at its end.
func noisy(t *testing.T) (entry string) {
	t.Helper()
	folder := t.TempDir()
	banner, before := filepath.Join(folder, "banner"), filepath.Join(folder, "before")
	noError(t, os.WriteFile(banner, []byte("\ufeff*** Welcome to the server! ***\r\n\n\r\n   \n\x00\x00\x00\n\xff\xfe\n\n"), 0o600))
	noError(t, os.WriteFile(before, []byte("\nDebugger listening\n\x00\n{\"level\":\"info\"}\n\xff\n[1,2]\n"), 0o600))
	return `"a":{"command":"fakechild","args":["-raw","@` + banner + `","-before","@` + before + `","-crlf","-half","{\"jsonrpc\":"]}`
}

func TestNoiseOfAServerEndsNoSession(t *testing.T) {
	t.Parallel()
	p := serve(t, noisy(t))
	p.openReady(echoTool)
	for id := range 100 {
		p.request(callOf(100+id, "a:echo"), result(100+id, `{"name":"echo"}`)+"\r")
	}
	noError(t, p.stdin.Close())
	p.awaitExit(0)
	warnings := 0
	for line := range strings.Lines(p.stderr.String()) {
		if warnings++; !strings.HasPrefix(line, "level=WARN ") || !strings.Contains(line, " server=a ") {
			t.Errorf("standard error holds %s", line)
		}
	}
	if warnings < 1 || warnings > 15 { // five of each kind
		t.Errorf("%d warnings, want a few:\n%s", warnings, p.stderr.String())
	}
	expectHarmless(t, "standard error", p.stderr.String(), 2000)
}

// Some runtimes write a byte order mark before the first message.
func TestAByteOrderMarkBeforeTheFirstMessage(t *testing.T) {
	t.Parallel()
	p := serve(t, `"a":{"command":"fakechild","args":["-raw","\ufeff"]}`)
	p.openReady(echoTool)
	p.request(callOf(3, "a:echo"), result(3, `{"name":"echo"}`))
	noError(t, p.stdin.Close())
	p.awaitExit(0)
	if got := p.stderr.String(); strings.Count(got, "\n") > 1 || strings.Contains(got, "level=ERROR") {
		t.Errorf("standard error:\n%s", got)
	}
}

// A partial line at the end of a server is no response.
func TestHalfALineAtTheEndIsNoAnswer(t *testing.T) {
	t.Parallel()
	p := serve(t, `"a":{"command":"fakechild","args":["-offer","half","-exit","7"]},"b":{"command":"fakechild"}`)
	p.openReady(offered("a", "half") + "," + echoOf("b"))
	p.send(callOf(3, "a:half"))
	p.expect(crashed(3, "a", "exit status 7"))
	p.expect(listChanged)
	p.request(callOf(4, "b:echo"), result(4, `{"name":"echo"}`))
	noError(t, p.stdin.Close())
	p.awaitExit(0)
	if got := p.stderr.String(); strings.Count(got, "\n") > 2 || !strings.Contains(got, failed("a", "exit status 7")) {
		t.Errorf("standard error:\n%s", got)
	}
}

// Responses to no call, to a call of another server, or to the same call twice are
// dropped.
func TestAnswersThatNobodyAskedForReachNobody(t *testing.T) {
	t.Parallel()
	before := filepath.Join(t.TempDir(), "before")
	noError(t, os.WriteFile(before, []byte(strings.Join([]string{
		`{"jsonrpc":"2.0","id":4711,"result":"of nothing"}`,
		`{"jsonrpc":"2.0","id":"ID","result":"of a string"}`,
		`{"jsonrpc":"2.0","id":1,"result":"of what is answered"}`,
		`{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"of null"}}`,
		`{"jsonrpc":"2.0","id":ID,"result":"right"}`,
		`{"jsonrpc":"2.0","id":ID,"result":"twice"}`,
	}, "\n")+"\n"), 0o600))
	p := serve(t, `"a":{"command":"fakechild","args":["-before","@`+before+`"]},"b":{"command":"fakechild","args":["-offer","hang"]},`+
		`"c":{"command":"fakechild","args":["-before","{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":1,\"error\":{\"code\":1,\"message\":\"x\"}}"]}`)
	p.openReady(echoTool + "," + offered("b", "hang") + "," + echoOf("c"))
	for id := range 20 { // the ids of their calls are the same
		p.send(callOf(1000+id, "b:hang"))
	}
	for id := range 10 {
		p.request(callOf(100+id, "a:echo"), result(100+id, `"right"`))
	}
	p.send(callOf(5, "c:echo"))
	if got := p.next(); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":5,"error":{"code":-32603,`) {
		t.Errorf("a result and an error at once are answered with %s", got)
	}
	p.ping() // and nothing before it
	noError(t, p.stdin.Close())
	want := make(map[string]int)
	for id := range 20 {
		want[`{"jsonrpc":"2.0","id":`+strconv.Itoa(1000+id)+`,"error":{"code":-32603,"message":"Server 'b' was stopped"}}`] = 1
	}
	p.expectAll(want)
	p.awaitExit(0)
	if got := strings.Count(p.stderr.String(), "level=WARN"); got < 5 || got > 12 {
		t.Errorf("%d warnings:\n%s", got, p.stderr.String())
	}
}
