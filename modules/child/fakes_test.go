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

// mute is a Program that never says anything and ends with its stdin.
func mute(_ context.Context, stdio testutil.Stdio) child.Exit {
	_, _ = io.Copy(io.Discard, stdio.In)
	return "exit status 0"
}

// says is a Program that answers each call with these lines, where ID stands
// for the id of the call.
func says(lines ...string) testutil.Program {
	return testutil.Raw{Handle: func(heard, id string, out io.Writer) child.Exit {
		if strings.Contains(heard, `"method":"tools/call"`) {
			for _, line := range lines {
				testutil.Say(out, "%s", strings.ReplaceAll(line, "ID", id))
			}
		}
		return ""
	}}.Run
}

// obeys is a Program that does with a call what its tool's name says: "hang"
// does nothing, "close" closes stdout, "stderr X" writes X, "say X" says X,
// "exit X" ends, and everything else is answered with an empty result.
func obeys(ctx context.Context, stdio testutil.Stdio) child.Exit {
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

// done is what a call that is answered with an empty result gets.
const done = `{"jsonrpc":"2.0","id":0,"result":{}}`

// ear keeps what a child is told.
type ear struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// on returns the program with its stdin overheard.
func (e *ear) on(p testutil.Program) testutil.Program {
	return func(ctx context.Context, stdio testutil.Stdio) child.Exit {
		stdio.In = io.TeeReader(stdio.In, e)
		return p(ctx, stdio)
	}
}

func (e *ear) Write(p []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.text.Write(p)
}

func (e *ear) lines() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return strings.Split(strings.TrimSuffix(e.text.String(), "\n"), "\n")
}

type serverConfig = config.ServerConfig

// spawnFunc is a child.Spawner.
type spawnFunc func(config.ServerConfig) (*child.Process, error)

func (f spawnFunc) Spawn(server config.ServerConfig) (*child.Process, error) { return f(server) }

// diary notes what happens to children, and when.
type diary struct {
	mu      sync.Mutex
	began   time.Time
	entries []string
}

func newDiary() *diary { return &diary{began: time.Now()} }

func (d *diary) note(event string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.entries = append(d.entries, fmt.Sprintf("%v: %s", time.Since(d.began), event))
}

// of returns what happened to one child.
func (d *diary) of(key string) string {
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

// watched notes what the Manager does to the children of a Spawner. The
// signals named in deaf do not reach them.
func (d *diary) watched(spawner child.Spawner, deaf ...string) child.Spawner {
	return spawnFunc(func(server config.ServerConfig) (*child.Process, error) {
		p, err := spawner.Spawn(server)
		if err != nil {
			return nil, err
		}
		d.note(server.Key + " spawned")
		p.Control = &watchedControl{Control: p.Control, key: server.Key, diary: d, deaf: strings.Join(deaf, " ")}
		p.Stdin = watchedStdin{p.Stdin, server.Key, d, new(sync.Once)}
		return p, nil
	})
}

type watchedStdin struct {
	io.WriteCloser
	key   string
	diary *diary
	once  *sync.Once
}

func (w watchedStdin) Close() error {
	w.once.Do(func() { w.diary.note(w.key + " stdin closed") })
	return w.WriteCloser.Close()
}

type watchedControl struct {
	child.Control
	key   string
	diary *diary
	deaf  string
}

func (c *watchedControl) Wait() child.Exit {
	exit := c.Control.Wait()
	c.diary.note(c.key + " ended: " + string(exit))
	return exit
}

func (c *watchedControl) Terminate() {
	c.diary.note(c.key + " terminated")
	if !strings.Contains(c.deaf, "terminate") {
		c.Control.Terminate()
	}
}

func (c *watchedControl) Kill() {
	c.diary.note(c.key + " killed")
	if !strings.Contains(c.deaf, "kill") {
		c.Control.Kill()
	}
}

// lingers is a Program that does not end with its stdin.
func lingers(p testutil.Program) testutil.Program {
	return func(ctx context.Context, stdio testutil.Stdio) child.Exit {
		_ = p(ctx, stdio)
		<-ctx.Done()
		return ""
	}
}

// secretive is a server with the secret "hunter2".
func secretive(key string) config.ServerConfig {
	return config.ServerConfig{Key: key, Command: "run-" + key, Secrets: []string{"hunter2"}}
}
