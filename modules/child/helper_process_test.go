package child_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"mcp-aggregator/modules/child"
	"mcp-aggregator/testutil"
)

// helperVariable makes the test binary a child: its value is the behavior.
const helperVariable = "MCP_CHILD_TEST_ACT"

// noteFileVariable names the file that "tidy" writes.
const noteFileVariable = "MCP_CHILD_TEST_NOTE"

// runHelper is the main function of a child. It returns the exit code.
func runHelper(behavior string) int {
	stdio := testutil.Stdio{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}
	switch behavior {
	case "serve":
		return serve(stdio)
	case "linger": // after the end of stdin
		serve(stdio)
	case "stubborn": // ignores SIGTERM, too
		ignoreTermination()
		serve(stdio)
	case "tidy": // writes a file on SIGTERM
		defer os.WriteFile(os.Getenv(noteFileVariable), []byte("tidied up"), 0o600) //nolint:errcheck // the test sees what is missing
		awaitTermination()
		return 0
	case "sleep":
	default:
		fmt.Fprintln(os.Stderr, "no such behavior:", behavior)
		return 2
	}
	time.Sleep(time.Hour)
	return 0
}

// serve is a server whose tools do what their names say.
func serve(stdio testutil.Stdio) (code int) {
	testutil.Raw{Handle: func(line, id string, out io.Writer) child.Exit {
		_, rest, _ := strings.Cut(line, `"name":"`)
		tool, _, _ := strings.Cut(rest, `"`)
		verb, object, _ := strings.Cut(tool, " ")
		var result any = true
		switch verb {
		case "hang":
			return ""
		case "exit":
			_, _ = fmt.Sscan(object, &code)
			return "now"
		case "stderr":
			fmt.Fprintln(stdio.Err, object)
		case "deaf":
			time.Sleep(time.Hour)
		case "about":
			dir, _ := os.Getwd()
			result = processInfo{Pid: os.Getpid(), Group: processGroup(), Dir: dir, Args: os.Args, Env: os.Environ()}
		case "length":
			result = len(line)
		default:
			result = runUnixVerb(verb, object)
		}
		raw, _ := json.Marshal(result)
		testutil.Say(out, `{"jsonrpc":"2.0","id":%s,"result":%s}`, id, bytes.TrimSpace(raw))
		return ""
	}}.Run(context.Background(), stdio)
	return code
}

// processInfo is what a child knows of its process.
type processInfo struct {
	Pid, Group int
	Dir        string
	Args, Env  []string
}
