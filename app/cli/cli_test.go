package cli_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"mcp-aggregator/app/cli"
	"mcp-aggregator/config"
)

func TestAnErrorIsReportedByOneLineAProblemAndAnExitCode(t *testing.T) {
	problems := config.Errors{{File: "mcp.json", Message: "one; fix it"}, {File: "mcp.json", Message: "two; fix it"}}
	for name, test := range map[string]struct {
		err     error
		printed string
		code    int
	}{
		"none":                          {nil, "", cli.ExitOK},
		"a failure":                     {errors.New("no room"), "prog: no room\n", cli.ExitFailed},
		"a configuration":               {fmt.Errorf("start: %w", problems), problems.Error() + "\n", cli.ExitConfig},
		"one that is reported already":  {cli.Exit(cli.ExitConfig), "", cli.ExitConfig},
		"joined with one of a shutdown": {errors.Join(cli.Exit(cli.ExitFailed), nil), "", cli.ExitFailed},
		"an exit code of success":       {cli.Exit(cli.ExitOK), "", cli.ExitOK},
	} {
		t.Run(name, func(t *testing.T) {
			var printed bytes.Buffer
			code := cli.Report(&printed, "prog", test.err)
			if code != test.code || printed.String() != test.printed {
				t.Errorf("exit code %d, want %d; printed %q, want %q", code, test.code, printed.String(), test.printed)
			}
		})
	}
}

func TestQuotedTextDoesNotActOnATerminal(t *testing.T) {
	for text, want := range map[string]string{
		"plain text, 日本": "plain text, 日本",
		"red\x1b[31m":    `"red\x1b[31m"`,
		"two\nlines":     `"two\nlines"`,
		"\xff":           `"\xff"`,
		"\u202eright":    `"\u202eright"`,
	} {
		if got := cli.Quote(text); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
	if got := cli.Quote(strings.Repeat("x", 10_000)); len(got) > 400 {
		t.Errorf("a long name has %d bytes", len(got))
	}
	if got, want := cli.Plain("a\tb\n\x1b[0m"), "a\tb\n?[0m"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTextIsTruncatedBetweenCharacters(t *testing.T) {
	text := strings.Repeat("日", 10) // 3 bytes each
	for limit := range len(text) {
		got := cli.Truncate(text, limit)
		kept, truncated := strings.CutSuffix(got, "...")
		if !truncated || !utf8.ValidString(kept) || !strings.HasPrefix(text, kept) || len(kept) > limit || len(kept) < limit-2 {
			t.Errorf("to %d bytes: %q", limit, got)
		}
	}
	if got := cli.Truncate(text, len(text)); got != text {
		t.Errorf("text that fits: %q", got)
	}
}
