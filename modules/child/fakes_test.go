package child_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"mcp-aggregator/config"
	"mcp-aggregator/modules/child"
	"mcp-aggregator/testutil"
)

// silent is a Program that writes nothing and exits when its stdin ends.
func silent(_ context.Context, stdio testutil.Stdio) child.Exit {
	_, _ = io.Copy(io.Discard, stdio.In)
	return "exit status 0"
}

// respondsWith is a Program that writes these lines for each call, where ID stands for
// the id of the call.
func respondsWith(lines ...string) testutil.Program {
	return testutil.Raw{Handle: func(received, id string, out io.Writer) child.Exit {
		if strings.Contains(received, `"method":"tools/call"`) {
			for _, line := range lines {
				testutil.Say(out, "%s", strings.ReplaceAll(line, "ID", id))
			}
		}
		return ""
	}}.Run
}

// scripted is a Program that does what the name of a called tool says: "hang"
// does nothing, "close" closes stdout, "stderr X" writes X to stderr, "exit X" exits, and
// any other name gets an empty result.
func scripted(ctx context.Context, stdio testutil.Stdio) child.Exit {
	return testutil.Raw{Tools: `[{"name":"hang"}]`, Handle: func(line, id string, out io.Writer) child.Exit {
		_, rest, _ := strings.Cut(line, `"name":"`)
		tool, _, _ := strings.Cut(rest, `"`)
		verb, object, _ := strings.Cut(tool, " ")
		switch verb {
		case "", "hang":
		case "close":
			_ = out.(io.Closer).Close()
		case "stderr":
			fmt.Fprintln(stdio.Err, object)
		case "exit":
			return child.Exit(object)
		default:
			testutil.Say(out, `{"jsonrpc":"2.0","id":%s,"result":{}}`, id)
		}
		return ""
	}}.Run(ctx, stdio)
}

// emptyResult is the outcome of a call with an empty result.
const emptyResult = `{"jsonrpc":"2.0","id":0,"result":{}}`

// stdinRecorder records the stdin of a child.
type stdinRecorder struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// record returns the program with its stdin recorded.
func (e *stdinRecorder) record(p testutil.Program) testutil.Program {
	return func(ctx context.Context, stdio testutil.Stdio) child.Exit {
		stdio.In = io.TeeReader(stdio.In, e)
		return p(ctx, stdio)
	}
}

func (e *stdinRecorder) Write(p []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.text.Write(p)
}

func (e *stdinRecorder) lines() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return strings.Split(strings.TrimSuffix(e.text.String(), "\n"), "\n")
}

type serverConfig = config.ServerConfig

// spawnFunc is a child.Spawner.
type spawnFunc func(config.ServerConfig) (*child.Process, error)

func (f spawnFunc) Spawn(server config.ServerConfig) (*child.Process, error) { return f(server) }

// eventLog records what happens to children, and when.
type eventLog struct {
	mu      sync.Mutex
	began   time.Time
	entries []string
}

func newEventLog() *eventLog { return &eventLog{began: time.Now()} }

func (d *eventLog) add(event string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.entries = append(d.entries, fmt.Sprintf("%v: %s", time.Since(d.began), event))
}

// ofChild returns what happened to one child.
func (d *eventLog) ofChild(key string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var entries []string
	for _, e := range d.entries {
		if strings.Contains(e, ": "+key+" ") {
			entries = append(entries, strings.Replace(e, key+" ", "", 1))
		}
	}
	return strings.Join(entries, ", ")
}

// watch records what is done to the children of a Spawner. The ignored signals do not
// reach them.
func (d *eventLog) watch(spawner child.Spawner, ignored ...string) child.Spawner {
	return spawnFunc(func(server config.ServerConfig) (*child.Process, error) {
		p, err := spawner.Spawn(server)
		if err != nil {
			return nil, err
		}
		d.add(server.Key + " spawned")
		p.Control = &watchedControl{Control: p.Control, key: server.Key, eventLog: d, ignored: strings.Join(ignored, " ")}
		p.Stdin = watchedStdin{p.Stdin, server.Key, d, new(sync.Once)}
		return p, nil
	})
}

type watchedStdin struct {
	io.WriteCloser
	key      string
	eventLog *eventLog
	once     *sync.Once
}

func (w watchedStdin) Close() error {
	w.once.Do(func() { w.eventLog.add(w.key + " stdin closed") })
	return w.WriteCloser.Close()
}

type watchedControl struct {
	child.Control
	key      string
	eventLog *eventLog
	ignored  string
}

func (c *watchedControl) Wait() child.Exit {
	exit := c.Control.Wait()
	c.eventLog.add(c.key + " ended: " + string(exit))
	return exit
}

func (c *watchedControl) Terminate() {
	c.eventLog.add(c.key + " terminated")
	if !strings.Contains(c.ignored, "terminate") {
		c.Control.Terminate()
	}
}

func (c *watchedControl) Kill() {
	c.eventLog.add(c.key + " killed")
	if !strings.Contains(c.ignored, "kill") {
		c.Control.Kill()
	}
}

// ignoresStdinEnd is a Program that does not exit when its stdin ends.
func ignoresStdinEnd(p testutil.Program) testutil.Program {
	return func(ctx context.Context, stdio testutil.Stdio) child.Exit {
		_ = p(ctx, stdio)
		<-ctx.Done()
		return ""
	}
}

// serverWithSecret is a server with the secret "hunter2".
func serverWithSecret(key string) config.ServerConfig {
	return config.ServerConfig{Key: key, Command: "run-" + key, Secrets: []string{"hunter2"}}
}
