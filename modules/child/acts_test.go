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

// actVariable makes the test binary act as a child: it names the act.
const actVariable = "MCP_CHILD_TEST_ACT"

// noteVariable names the file of a note.
const noteVariable = "MCP_CHILD_TEST_NOTE"

// perform is the main function of a child. It returns the exit code.
func perform(act string) int {
	stdio := testutil.Stdio{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}
	switch act {
	case "serve":
		return serve(stdio)
	case "linger": // after the end of stdin
		serve(stdio)
	case "stubborn": // nor does it hear SIGTERM
		ignoreTermination()
		serve(stdio)
	case "tidy": // leaves a note when it is asked to end
		defer os.WriteFile(os.Getenv(noteVariable), []byte("tidied up"), 0o600) //nolint:errcheck // the test sees what is missing
		awaitTermination()
		return 0
	case "sleep":
	default:
		fmt.Fprintln(os.Stderr, "no such act:", act)
		return 2
	}
	time.Sleep(time.Hour)
	return 0
}

// serve is a server whose tools do what their name says. The result is raw
// JSON.
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
			result = self{Pid: os.Getpid(), Group: processGroup(), Dir: dir, Args: os.Args, Env: os.Environ()}
		case "length":
			result = len(line)
		default:
			result = onUnix(verb, object)
		}
		raw, _ := json.Marshal(result)
		testutil.Say(out, `{"jsonrpc":"2.0","id":%s,"result":%s}`, id, bytes.TrimSpace(raw))
		return ""
	}}.Run(context.Background(), stdio)
	return code
}

// self is how a child sees itself.
type self struct {
	Pid, Group int
	Dir        string
	Args, Env  []string
}
