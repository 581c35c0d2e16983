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

// sized is a call whose line takes so many bytes in the queue of a child, under
// a two-digit id of ours and the tool's name "x".
func sized(bytes int) string {
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
				c := muster(t, testutil.Spawner{"a": func(ctx context.Context, stdio testutil.Stdio) child.Exit {
					_ = obeys(ctx, stdio)
					<-die
					return "exit status 7"
				}, "b": obeys}, child.Options{MaxQueue: test.limit}, "a", "b")
				c.greet()
				for range 7 { // up to ids of two digits
					want(t, "answer", c.ask("a", "x").await(t), done)
				}
				deaf := c.ask("a", "exit from the loop")
				synctest.Wait() // it has read that, and reads no more
				queued, call := []*reply{deaf}, scanned(t, sized(test.line))
				for range test.taken {
					queued = append(queued, c.forward("a", call, "x"))
				}
				want(t, "one more", strings.Join(c.ask("a", "x").soFar(), "\n"), full)
				for _, r := range queued {
					want(t, "outcomes so far", len(r.soFar()), 0)
				}
				want(t, "answer of the other", c.ask("b", "x").await(t), done)
				want(t, "state", c.status("a").State, child.Running)
				close(die)
				synctest.Wait()
				for _, r := range queued {
					want(t, "outcome", strings.Join(r.soFar(), "\n"), crashed(`{"server":"a","exitStatus":"exit status 7"}`))
				}
				want(t, "state of the other", c.status("b").State, child.Running)
				c.wantLog(`level=ERROR msg="server failed" server=a phase=runtime reason="the process ended" exit="exit status 7"`)
			})
		})
	}
}

// closing is a Spawner whose processes close their stdin when they are called.
func closing(fakes testutil.Spawner) child.Spawner {
	return spawnFunc(func(s serverConfig) (*child.Process, error) {
		p, err := fakes.Spawn(s)
		if err != nil {
			return nil, err
		}
		p.Stdin = &breaking{WriteCloser: p.Stdin}
		return p, nil
	})
}

type breaking struct {
	io.WriteCloser
	broken bool
}

func (b *breaking) Write(p []byte) (int, error) {
	b.broken = b.broken || strings.Contains(string(p), `"name":"break"`)
	if b.broken {
		return 0, io.ErrClosedPipe
	}
	return b.WriteCloser.Write(p)
}

func TestAChildThatClosesItsStdin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := muster(t, closing(testutil.Spawner{"a": lingers(obeys)}), child.Options{}, "a")
		c.greet()
		lost := c.ask("a", "break")
		synctest.Wait()
		want(t, "answer of a later call", c.ask("a", "x").await(t),
			`{"jsonrpc":"2.0","id":0,"error":{"code":-32603,"message":"Server 'a' has closed its standard input"}}`)
		want(t, "outcomes of the one before", len(lost.soFar()), 0)
		time.Sleep(2 * child.DrainTime)
		synctest.Wait()
		want(t, "outcome of the one before", strings.Join(lost.soFar(), "\n"), crashed(`{"server":"a"}`))
		want(t, "failure", c.failure("a"), child.Error{Key: "a", Phase: child.Runtime, Reason: "it closed its standard input"})
		c.Kill()
	})
}
