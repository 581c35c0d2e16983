package main_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"mcp-aggregator/testutil"
)

// exits CODE PROGRAM [ARGUMENT...] runs a program that must end with that exit
// code. What it prints for people must hold no secret.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM [ARGUMENT...]")
	}
	err := ts.Exec(args[1], args[2:]...)
	testutil.Record(ts.ReadFile("stderr"))
	if len(args) > 2 && slices.Contains([]string{"check", "import", "install", "uninstall"}, args[2]) {
		testutil.Record(ts.ReadFile("stdout"))
	}
	code := 0
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		code = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if want, _ := strconv.Atoi(args[0]); code != want {
		ts.Fatalf("exit code %d, not %s", code, args[0])
	}
}

// What differs between runs: times in the log, in check's JSON, and in the last column of
// check's table.
var (
	logTime   = regexp.MustCompile(`after=[0-9.]+[nµm]?s`)
	jsonTime  = regexp.MustCompile(`"readyMs": \d+`)
	tableTime = regexp.MustCompile(`(?m)^(\S.*  )(READY|-|[0-9.]+m?s)$`)
)

// section matches the findings in check's report, and served the folder of the scripts'
// servers.
var (
	section = regexp.MustCompile(`\nfindings\n((?:  .*\n)*)`)
	served  = regexp.MustCompile(`\S*[/\\]fakechild(\.exe)?(\\?")`)
)

// findings FROM TO copies the findings of check's report, without the folder of the
// servers.
func findings(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: findings FROM TO")
	}
	part := section.FindStringSubmatch(ts.ReadFile(args[0]))
	if part == nil {
		ts.Fatalf("there are no findings")
	}
	write(ts, args[1], served.ReplaceAllString(part[1], `"FOLDER/fakechild$2`))
}

// mask FROM TO [REGEXP TEXT]... copies a file without the findings, and replaces what
// differs between runs and what the arguments name.
func mask(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 2 || len(args)%2 != 0 {
		ts.Fatalf("usage: mask FROM TO [REGEXP TEXT]...")
	}
	text := section.ReplaceAllString(ts.ReadFile(args[0]), "")
	text = served.ReplaceAllString(text, `FOLDER/fakechild$2`)
	text = logTime.ReplaceAllString(text, "after=TIME")
	text = jsonTime.ReplaceAllString(text, `"readyMs": TIME`)
	text = tableTime.ReplaceAllStringFunc(text, func(row string) string {
		part := tableTime.FindStringSubmatch(row)
		if strings.ContainsAny(part[2], "0123456789") {
			part[2] = "TIME"
		}
		return part[1] + part[2]
	})
	for pair := range slices.Chunk(args[2:], 2) {
		text = regexp.MustCompile(pair[0]).ReplaceAllString(text, pair[1])
	}
	write(ts, args[1], text)
}

// sort FROM TO sorts lines.
func sortLines(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: sort FROM TO")
	}
	lines := slices.Sorted(strings.Lines(ts.ReadFile(args[0])))
	write(ts, args[1], strings.Join(lines, ""))
}

// text NAME FILE sets a variable to the content of a file.
func text(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: text NAME FILE")
	}
	ts.Setenv(args[0], ts.ReadFile(args[1]))
}

// unterminated FILE TEXT writes a file that does not end with a newline.
func unterminated(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: unterminated FILE TEXT")
	}
	write(ts, args[0], args[1])
}

// jsonlines FILE fails unless every line of the file is JSON.
func jsonLines(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: jsonlines FILE")
	}
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		if !json.Valid([]byte(line)) || !strings.HasSuffix(line, "\n") {
			ts.Fatalf("not a line of JSON: %q", line)
		}
	}
}

func write(ts *testscript.TestScript, name, text string) {
	ts.Check(os.WriteFile(ts.MkAbs(name), []byte(text), 0o600))
}
