package child_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcp-aggregator/modules/child"
	"mcp-aggregator/testutil"
)

// callOfSize is a call whose line takes that many bytes in the queue of a child, under
// a two-digit id of ours and the tool's name "x".
func callOfSize(bytes int) string {
	const line = `{"jsonrpc":"2.0","id":10,"method":"tools/call","params":{"name":"x","a":"%s"}}`
	return fmt.Sprintf(line, strings.Repeat("x", bytes-len(line)+1))
}

func TestAChildThatNeverReadsItsStdin(t *testing.T) {
	const full = `{"jsonrpc":"2.0","id":0,"error":{"code":-32603,"message":"Server 'a' does not read its standard input"}}`
	tests := []struct {
		name  string
		limit int // 0 for the default
		line  int // bytes of a call
		taken int // calls
	}{
		{"up to 64 MiB are queued", 0, 8 << 20, 8},
		{"as many as the options say", 1000, 100, 10},
		{"one that is larger", 1000, 5000, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				die := make(chan struct{})
				c := startManager(t, testutil.Spawner{"a": func(ctx context.Context, stdio testutil.Stdio) child.Exit {
					_ = scripted(ctx, stdio)
					<-die
					return "exit status 7"
				}, "b": scripted}, child.Options{MaxQueue: test.limit}, "a", "b")
				c.initializeAll()
				for range 7 { // up to ids of two digits
					want(t, "answer", c.callTool("a", "x").await(t), emptyResult)
				}
				ignored := c.callTool("a", "exit from the loop")
				synctest.Wait() // it has read that call, and reads no more
				queued, call := []*replyRecorder{ignored}, scanned(t, callOfSize(test.line))
				for range test.taken {
					queued = append(queued, c.sendMessage("a", call, "x"))
				}
				want(t, "one more", strings.Join(c.callTool("a", "x").outcomesSoFar(), "\n"), full)
				for _, r := range queued {
					want(t, "outcomes so far", len(r.outcomesSoFar()), 0)
				}
				want(t, "answer of the other", c.callTool("b", "x").await(t), emptyResult)
				want(t, "state", c.status("a").State, child.Running)
				close(die)
				synctest.Wait()
				for _, r := range queued {
					want(t, "outcome", strings.Join(r.outcomesSoFar(), "\n"), crashed(`{"server":"a","exitStatus":"exit status 7"}`))
				}
				want(t, "state of the other", c.status("b").State, child.Running)
				c.wantLog(`level=ERROR msg="server failed" server=a phase=runtime reason="the process ended" exit="exit status 7"`)
			})
		})
	}
}

// closingStdin is a Spawner whose processes close their stdin when they get a call.
func closingStdin(fakes testutil.Spawner) child.Spawner {
	return spawnFunc(func(s serverConfig) (*child.Process, error) {
		p, err := fakes.Spawn(s)
		if err != nil {
			return nil, err
		}
		p.Stdin = &breakingStdin{WriteCloser: p.Stdin}
		return p, nil
	})
}

type breakingStdin struct {
	io.WriteCloser
	broken bool
}

func (b *breakingStdin) Write(p []byte) (int, error) {
	b.broken = b.broken || strings.Contains(string(p), `"name":"break"`)
	if b.broken {
		return 0, io.ErrClosedPipe
	}
	return b.WriteCloser.Write(p)
}

func TestAChildThatClosesItsStdin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := startManager(t, closingStdin(testutil.Spawner{"a": ignoresStdinEnd(scripted)}), child.Options{}, "a")
		c.initializeAll()
		lost := c.callTool("a", "break")
		synctest.Wait()
		want(t, "answer of a later call", c.callTool("a", "x").await(t),
			`{"jsonrpc":"2.0","id":0,"error":{"code":-32603,"message":"Server 'a' has closed its standard input"}}`)
		want(t, "outcomes of the one before", len(lost.outcomesSoFar()), 0)
		time.Sleep(2 * child.DrainTime)
		synctest.Wait()
		want(t, "outcome of the one before", strings.Join(lost.outcomesSoFar(), "\n"), crashed(`{"server":"a"}`))
		want(t, "failure", c.failure("a"), child.Error{Key: "a", Phase: child.Runtime, Reason: "it closed its standard input"})
		c.Kill()
	})
}
