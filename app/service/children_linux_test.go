package service_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mcp-aggregator/testutil"
)

// childVariable makes the test binary run as a server. Its value is the behavior, a colon,
// and the path of the files in which the server records its starts.
const childVariable = "SERVICE_TEST_CHILD"

// How a child reacts to being stopped.
const (
	polite   = "polite"
	stubborn = "stubborn" // it ignores the end of its input, and SIGTERM
)

// childConnection returns the connection of such a child, with files in a folder of the
// test.
func childConnection(t *testing.T, manner string) string {
	t.Helper()
	return childAt(filepath.Join(t.TempDir(), "life"), manner)
}

func childAt(path, manner string) string {
	text, _ := json.Marshal(map[string]any{
		"command": os.Args[0], "env": map[string]string{childVariable: manner + ":" + path},
	})
	return string(text)
}

// runChild is the main function of the child. It holds a lock while it runs, and records each
// start and whether another child was running then.
func runChild(text string) {
	manner, path, _ := strings.Cut(text, ":")
	if manner == stubborn {
		signal.Ignore(syscall.SIGTERM)
	}
	notes, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
	if err == nil {
		if syscall.Flock(int(notes.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
			fmt.Fprintln(notes, "overlap")
			err = syscall.Flock(int(notes.Fd()), syscall.LOCK_EX)
		}
		fmt.Fprintln(notes, "start")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	testutil.Raw{Tools: `[{"name":"x"}]`}.Run(context.Background(), testutil.Stdio{In: os.Stdin, Out: os.Stdout, Err: os.Stderr})
	if manner == stubborn {
		select {}
	}
	os.Exit(0)
}

// life counts the starts of a child, and those while another one was running.
func childLog(t *testing.T, path string) (starts, overlaps int) {
	t.Helper()
	notes, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return strings.Count(string(notes), "start"), strings.Count(string(notes), "overlap")
}
