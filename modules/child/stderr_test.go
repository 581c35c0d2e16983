package child_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"

	"pgregory.net/rapid"

	"mcp-aggregator/config"
	"mcp-aggregator/modules/child"
	"mcp-aggregator/testutil"
)

func TestStderrTail(t *testing.T) {
	var fifteen []string
	for i := range 15 {
		fifteen = append(fifteen, fmt.Sprint("line ", i))
	}
	tests := []struct {
		name, secret, text, want string
	}{
		{"nothing was written", "", "", ""},
		{"only blank lines", "", "\n \n\n", ""},
		{"a last line without its newline", "", "one\ntwo", "one\ntwo"},
		{"blank lines at the ends go", "", "\n\none\n\ntwo\n\n", "one\n\ntwo"},
		{"the last ten of many", "", strings.Join(fifteen, "\n") + "\n", strings.Join(fifteen[5:], "\n")},
		{"CR LF", "", "one\r\ntwo\r\n", "one\ntwo"},
		{"a long line is cut", "", strings.Repeat("x", 400), strings.Repeat("x", child.TailLineSize) + "..."},
		{"escapes are quoted", "", "\x1b[2Jgone", `\x1b[2Jgone`},
		{"bytes that are not UTF-8 are quoted", "", "\xfe\xff", `\xfe\xff`},
		{"a secret is redacted", "hunter2", "the key is hunter2!", "the key is [redacted]!"},
		{"a secret over two lines is redacted", "hunter2\nhunter3", "hunter2\nhunter3!", "[redacted]!"},
		{"a secret where a line is cut is redacted", "hunter2", strings.Repeat("x", 297) + "hunter2", strings.Repeat("x", 297) + "[re..."},
		{"a secret of white space at the end is redacted whole", "hunter2  \n", "hunter2  \n", "[redacted]"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			stderr := child.NewStderr(test.secret)
			_, _ = io.WriteString(stderr, test.text)
			if got := stderr.Tail(); got != test.want {
				t.Errorf("tail %q, want %q", got, test.want)
			}
		})
	}
}

func TestStderrOfAFloodKeepsItsEnd(t *testing.T) {
	stderr := child.NewStderr("hunter2")
	for i := range 100_000 {
		fmt.Fprintf(stderr, "line %d of hunter2\n", i)
	}
	var want []string
	for i := 99_990; i < 100_000; i++ {
		want = append(want, fmt.Sprintf("line %d of [redacted]", i))
	}
	if got := stderr.Tail(); got != strings.Join(want, "\n") {
		t.Errorf("tail %q, want %q", got, want)
	}
}

func TestOneWriteLargerThanTheRingKeepsItsEnd(t *testing.T) {
	stderr := child.NewStderr()
	_, _ = io.WriteString(stderr, strings.Repeat("x", 3*child.RingSize)+"\nthe end")
	if got := stderr.Tail(); !strings.HasSuffix(got, "\nthe end") || len(got) > child.TailLineSize+20 {
		t.Errorf("tail %q", got)
	}
}

func TestTheRestOfAnOverwrittenSecretIsNotShown(t *testing.T) {
	const secret, other = "correct horse battery staple", "0123456789"
	rapid.Check(t, func(t *rapid.T) {
		stderr := child.NewStderr(secret, other)
		// The first secret is cut anywhere; another follows at any distance.
		over := rapid.IntRange(0, 2*len(secret)).Draw(t, "over")
		gap := rapid.IntRange(0, 40).Draw(t, "gap")
		head := secret + strings.Repeat("#", gap) + rapid.SampledFrom([]string{secret, other}).Draw(t, "second") + "#"
		fill := strings.Repeat("#", child.RingSize+over-len(head))
		_, _ = io.WriteString(stderr, strings.Repeat("#", child.RingSize+1)+head+fill)
		got := stderr.Tail()
		for text := strings.ReplaceAll(got, "[redacted]", ""); text != ""; text = text[1:] {
			if text[0] != '#' && text[0] != '.' {
				t.Fatalf("a rest of a secret shows: %q", got[:60])
			}
		}
	})
}

func TestStderrIsShownLineByLine(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
	}{
		{"nothing", "", nil},
		{"whole lines", "one\ntwo\n", []string{"one", "two"}},
		{"a blank line", "one\n\ntwo\n", []string{"one", "", "two"}},
		{"a last line without its newline", "one\ntwo", []string{"one", "two"}},
		{"a line that is longer than the ring, in part", strings.Repeat("x", child.RingSize+9) + "\ntwo\n", []string{strings.Repeat("x", child.RingSize), "two"}},
	}
	readers := map[string]func(io.Reader) io.Reader{
		"at once":         func(r io.Reader) io.Reader { return r },
		"byte by byte":    iotest.OneByteReader,
		"with its EOF":    iotest.DataErrReader,
		"then it is torn": func(r io.Reader) io.Reader { return io.MultiReader(r, iotest.ErrReader(io.ErrClosedPipe)) },
	}
	for _, test := range tests {
		for how, reader := range readers {
			t.Run(test.name+", "+how, func(t *testing.T) {
				var got []string
				stderr := child.NewStderr()
				stderr.CopyFrom(reader(strings.NewReader(test.text)), func(line string) { got = append(got, line) })
				if strings.Join(got, "\n") != strings.Join(test.want, "\n") || len(got) != len(test.want) {
					t.Errorf("shown %.100q, want %.100q", got, test.want)
				}
			})
		}
	}
}

func TestAVeryLongSecretOnStderrIsNotShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		secret := strings.Repeat("hunter2!", 20_000)
		server := config.ServerConfig{Key: "a", Secrets: []string{secret}}
		c := startServersAt(t, slog.LevelDebug, testutil.Spawner{"a": func(_ context.Context, stdio testutil.Stdio) child.Exit {
			fmt.Fprintln(stdio.Err, "my key is "+secret)
			return "exit status 1"
		}}, child.Options{}, server)
		synctest.Wait()
		c.stop()
		if log := c.log.String(); !strings.Contains(log, `msg=stderr server=a line="my key is [redacted]"`) {
			t.Errorf("log: %.500s", log)
		}
	})
}
