package child_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-aggregator/config"
	"mcp-aggregator/modules/child"
	"mcp-aggregator/testutil"
)

func TestChildrenOfAllKindsBecomeReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := startManager(t, testutil.Spawner{
			"sdk": testutil.SDK(func(s *mcp.Server) {
				mcp.AddTool(s, &mcp.Tool{Name: "greet"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
					return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "hi"}}}, nil, nil
				})
			}),
			"raw": testutil.Raw{Tools: `[ {"name":"one", "x":9007199254740993}, {"name":"two"} ]`}.Run,
		}, child.Options{}, "sdk", "none", "raw")
		for _, s := range c.Statuses() {
			want(t, "state before Initialize", s.State == child.Initializing, s.Key != "none" || s.State == child.Initializing)
		}
		c.initializeAll()
		var keys []string
		for _, s := range c.Statuses() {
			keys = append(keys, s.Key+" "+string(s.State))
		}
		want(t, "statuses", strings.Join(keys, ", "), "sdk running, none failed, raw running")
		want(t, "status", c.status("raw"), child.Status{Key: "raw", State: child.Running, Tools: 2})
		want(t, "tools of the SDK's server", c.status("sdk").Tools, 1)
		for _, line := range c.tools.lines() {
			if strings.HasPrefix(line, "set raw") {
				want(t, "definitions", line, `set raw {"name":"one", "x":9007199254740993} {"name":"two"}`)
			}
		}
		want(t, "answer", c.callTool("sdk", "greet").await(t), `{"jsonrpc":"2.0","id":0,"result":{"content":[{"type":"text","text":"hi"}]}}`)
		c.stop()
		want(t, "state after stop", c.status("raw").State, child.Stopped)
		want(t, "state of what had failed before", c.status("none").State, child.Failed)
		c.wantLog(`level=ERROR msg="server failed" server=none phase=startup reason="command \"run-none\" is not on its PATH"`)
	})
}

func TestStartSpawnsAllChildrenAndWaitsForNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fakes := testutil.Spawner{"a": scripted, "b": scripted, "c": scripted}
		waiting, release := make(chan string, 3), make(chan struct{})
		c := startManager(t, spawnFunc(func(s config.ServerConfig) (*child.Process, error) {
			waiting <- s.Key
			<-release
			return fakes.Spawn(s)
		}), child.Options{}, "a", "b", "c")
		for range 3 { // Start has returned while all are being spawned
			<-waiting
		}
		want(t, "state", c.status("a").State, child.Initializing)
		want(t, "a call before there is a process", c.callTool("a", "x").await(t),
			`{"jsonrpc":"2.0","id":0,"error":{"code":-32603,"message":"Server 'a' is not running"}}`)
		close(release)
		c.initializeAll()
		want(t, "state", c.status("c").State, child.Running)
	})
}

func TestNothingIsSentToAChildBeforeInitialize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var received stdinRecorder
		c := startManager(t, testutil.Spawner{"a": received.record(scripted)}, child.Options{}, "a")
		time.Sleep(time.Hour)
		want(t, "state", c.status("a").State, child.Initializing)
		want(t, "received", strings.Join(received.lines(), "\n"), "")
		c.initializeAll()
		want(t, "state", c.status("a").State, child.Running)
		c.wantLog()
	})
}

// respondsAfter is a Program that answers each request after a delay.
func respondsAfter(delay time.Duration, p testutil.Program) testutil.Program {
	return func(ctx context.Context, stdio testutil.Stdio) child.Exit {
		stdio.Out = slowWriter{stdio.Out, delay}
		return p(ctx, stdio)
	}
}

type slowWriter struct {
	io.Writer
	delay time.Duration
}

func (w slowWriter) Write(p []byte) (int, error) {
	time.Sleep(w.delay)
	return w.Writer.Write(p)
}

func TestASlowChildIsWarnedAboutOnceAndThenFails(t *testing.T) {
	const warning = `level=WARN msg="server is slow: it is not ready yet" server=slow after=15s`
	const failure = `level=ERROR msg="server failed" server=slow phase=initialization reason="it was not ready after 1m0s"`
	onePage := testutil.Raw{Tools: `[{"name":"x"}]`}.Run
	tests := []struct {
		name    string
		program testutil.Program
		after   time.Duration // until it settles
		state   child.State
		log     []string
	}{
		{"ready at once", onePage, 0, child.Running, nil},
		{"ready just before the warning", respondsAfter(7*time.Second, onePage), 14 * time.Second, child.Running, nil},
		{"ready after the warning", respondsAfter(8*time.Second, onePage), 16 * time.Second, child.Running, []string{warning}},
		{"ready just before the end", respondsAfter(29*time.Second, onePage), 58 * time.Second, child.Running, []string{warning}},
		{"ready too late", respondsAfter(31*time.Second, onePage), time.Minute, child.Failed, []string{warning, failure}},
		{"initialize is never answered", silent, time.Minute, child.Failed, []string{warning, failure}},
		{"tools/list is never answered", ignoresLines(`"tools/list"`), time.Minute, child.Failed, []string{warning, failure}},
		{"the second page is never answered", ignoresLines(`"cursor"`), time.Minute, child.Failed, []string{warning, failure}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := startManager(t, testutil.Spawner{"slow": test.program, "fast": scripted}, child.Options{}, "slow", "fast")
				time.Sleep(5 * time.Minute) // time before Initialize does not count
				began := time.Now()
				c.Initialize(initializeParams)
				<-c.Settled("fast")
				want(t, "the other is ready after", time.Since(began), 0)
				<-c.Settled("slow")
				want(t, "settled after", time.Since(began), test.after)
				status := c.status("slow")
				want(t, "state", status.State, test.state)
				if test.state == child.Running {
					want(t, "time to ready", status.Ready, test.after)
				}
				time.Sleep(10 * time.Minute)
				want(t, "state later", c.status("slow").State, test.state)
				want(t, "the other later", c.callTool("fast", "x").await(t), emptyResult)
				c.wantLog(test.log...)
			})
		})
	}
}

// ignoresLines is a Program that ignores every line that contains part; its list has
// two pages.
func ignoresLines(part string) testutil.Program {
	return func(_ context.Context, stdio testutil.Stdio) child.Exit {
		return servePages(stdio, func(line string) (string, bool) {
			return `{"tools":[{"name":"x"}],"nextCursor":"2"}`, !strings.Contains(line, part)
		})
	}
}

func TestWhenASlowChildIsWarnedAboutAndFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		c := startManager(t, testutil.Spawner{"a": silent}, child.Options{WarnAfter: time.Second, HandshakeTimeout: 2 * time.Second}, "a")
		c.initializeAll()
		want(t, "failed after", time.Since(began), 2*time.Second)
		c.wantLog(`level=WARN msg="server is slow: it is not ready yet" server=a after=1s`,
			`level=ERROR msg="server failed" server=a phase=initialization reason="it was not ready after 2s"`)
	})
}

func TestASlowChildIsEndedWhenItHasFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newEventLog()
		c := startManager(t, d.watch(testutil.Spawner{"a": ignoresStdinEnd(silent)}), child.Options{}, "a")
		c.initializeAll()
		time.Sleep(time.Minute)
		want(t, "diary", d.ofChild("a"), "0s: spawned, 1m0s: stdin closed, 1m2s: terminated, 1m2s: ended: signal: terminated")
		want(t, "failure", c.failure("a"), child.Error{Key: "a", Phase: child.Initialization, Reason: "it was not ready after 1m0s", Late: true})
	})
}

func TestAnUnknownKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := startManager(t, testutil.Spawner{}, child.Options{})
		want(t, "settled", c.Settled("nobody"), nil)
		want(t, "answer", c.callTool("nobody", "x").await(t),
			`{"jsonrpc":"2.0","id":0,"error":{"code":-32603,"message":"Server 'nobody' is not running"}}`)
	})
}

func TestAChildThatCannotBeSpawned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := startServers(t, spawnFunc(func(s config.ServerConfig) (*child.Process, error) {
			return nil, errors.New("no \x1b[31mtoken " + s.Secrets[0])
		}), child.Options{}, config.ServerConfig{Key: "a", Secrets: []string{"hunter2"}})
		<-c.Settled("a") // without Initialize
		want(t, "failure", c.failure("a"), child.Error{Key: "a", Phase: child.Startup, Reason: `no \x1b[31mtoken [redacted]`})
		want(t, "answer", c.callTool("a", "x").await(t),
			`{"jsonrpc":"2.0","id":0,"error":{"code":-32603,"message":"Server 'a' is not running"}}`)
		c.wantTools("remove a")
		c.wantLog(`level=ERROR msg="server failed" server=a phase=startup reason="no \\x1b[31mtoken [redacted]"`)
	})
}

func TestNotificationsBeforeTheHandshakeAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var received stdinRecorder
		c := startManager(t, testutil.Spawner{"a": received.record(scripted)}, child.Options{}, "a")
		note := scanned(t, `{"jsonrpc":"2.0","method":"x","params":"`+strings.Repeat("x", 1<<20)+`"}`)
		for range 40 {
			c.Broadcast(note)
		}
		c.initializeAll()
		synctest.Wait()
		kept := 0
		for _, line := range received.lines() {
			if line == string(note.Line) {
				kept++
			}
		}
		want(t, "notifications of 1 MB that were kept", kept, 15)
	})
}
