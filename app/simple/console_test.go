package simple_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"mcp-aggregator/app/cli"
	"mcp-aggregator/app/simple"
)

func TestAConsoleKeepsEveryMessageInOrder(t *testing.T) {
	var got, want bytes.Buffer
	c := simple.NewConsole(&got)
	for i := range 10_000 {
		fmt.Fprintf(io.MultiWriter(c, &want), "message %d\n", i)
	}
	c.Close()
	if got.String() != want.String() {
		t.Errorf("%d bytes arrived, %d were written, or not in order", got.Len(), want.Len())
	}
}

// blocked is a writer that blocks until yield is closed.
type blocked struct {
	bytes.Buffer
	yield chan struct{}
}

func (r *blocked) Write(p []byte) (int, error) {
	<-r.yield
	return r.Buffer.Write(p)
}

func TestAConsoleThatNobodyReadsKeepsNobodyWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dst := &blocked{yield: make(chan struct{})}
		c := simple.NewConsole(dst)
		message := strings.Repeat("x", 1023) + "\n"
		_, _ = io.WriteString(c, message)
		synctest.Wait() // it is being written
		for range 3000 {
			_, _ = io.WriteString(c, message)
		}
		close(dst.yield)
		synctest.Wait()
		_, _ = io.WriteString(c, "after it\n")
		c.Close()
		const kept = 1 + 1024
		want := strings.Repeat(message, kept) +
			"mcp-simple-aggregator: 1976 messages lost: nobody read standard error\nafter it\n"
		if dst.String() != want {
			t.Errorf("%d bytes, not %d; at the end %.200q", dst.Len(), len(want), dst.String()[max(0, dst.Len()-200):])
		}
	})
}

func TestAConsoleTakesAMessageOfAnySize(t *testing.T) {
	var got bytes.Buffer
	c := simple.NewConsole(&got)
	_, _ = io.WriteString(c, strings.Repeat("x", 5<<20))
	c.Close()
	if got.Len() != 5<<20 {
		t.Errorf("%d bytes", got.Len())
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("broken") }

func TestAProgramEndsWhateverBecomesOfItsStandardError(t *testing.T) {
	unread := &blocked{yield: make(chan struct{})}
	defer close(unread.yield)
	for name, stderr := range map[string]io.Writer{"broken": broken{}, "nobody reads it": unread} {
		o := simple.Options{Config: filepath.Join(t.TempDir(), "none.json"), Stderr: stderr}
		if err := simple.Serve(o); !errors.Is(err, cli.ExitError(cli.ExitConfig)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
