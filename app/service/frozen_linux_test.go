package service_test

import (
	"context"
	"encoding/json"
	"net/http"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"mcp-aggregator/testutil"
)

// A database that hangs neither responds nor refuses connections.
func TestADatabaseThatHangs(t *testing.T) {
	testutil.MarkAll(t)
	program := buildProgram(t)
	t.Run("delays neither readiness nor the end", func(t *testing.T) {
		p := serveThree(t, program)
		frozen.Freeze(t)
		for range 2 {
			began := time.Now()
			if status, text := p.readiness(); status != http.StatusServiceUnavailable {
				t.Errorf("it is ready: %d %s", status, text)
			}
			t.Logf("/readyz took %v", time.Since(began))
		}
		p.ends(t)
	})
	t.Run("delays no end at once", func(t *testing.T) {
		p := serveThree(t, program)
		frozen.Freeze(t)
		p.ends(t)
	})
	t.Run("delays no end of a start", func(t *testing.T) {
		database := frozen.Database(t)
		frozen.Freeze(t)
		p := &process{&running{t: t}, exec.CommandContext(t.Context(), program, "serve", "--listen", "127.0.0.1:0", "--database", database)}
		p.cmd.Stderr = testutil.Printed(&p.log)
		if err := p.cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(p.kill)
		time.Sleep(time.Second) // until it waits for the database, mostly
		p.ends(t)
	})
}

// serveThree runs the program with three servers.
func serveThree(t *testing.T, program string) *process {
	t.Helper()
	p := serve(t, program, frozen.Database(t))
	var ids []string
	for _, name := range []string{"a", "b", "c"} {
		ids = append(ids, p.register(name, "STDIO", childConnection(t, polite)).ID)
	}
	for _, id := range ids {
		p.await(id, "CONNECTED")
	}
	return p
}

// readiness returns the response of /readyz, which must arrive within a probe's timeout.
func (p *process) readiness() (status int, text string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), 10*time.Second) // 2 s, on a machine that does nothing else
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.url+"/readyz", nil)
	if err != nil {
		p.t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		p.t.Fatal(err)
	}
	defer response.Body.Close()
	var problem json.RawMessage
	_ = json.NewDecoder(response.Body).Decode(&problem)
	return response.StatusCode, string(problem)
}

// ends sends SIGTERM and waits for an exit with code 0.
func (p *process) ends(t *testing.T) {
	t.Helper()
	http.DefaultClient.CloseIdleConnections()
	began := time.Now()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- p.cmd.Wait() }()
	select {
	case err := <-done:
		if text := p.log.String(); err != nil && !strings.Contains(text, "database: it is not closed") {
			t.Errorf("%v: %s", err, text)
		}
		t.Logf("from SIGTERM to the end: %v", time.Since(began))
	case <-time.After(15 * time.Second): // a few, on a machine that does nothing else
		t.Errorf("it goes on: %s", p.log.String())
	}
}
