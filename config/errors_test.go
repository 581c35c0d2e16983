package config_test

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"mcp-aggregator/config"
)

// problemsOf finds the problems as the program does.
func problemsOf(t tb, err error) config.Errors {
	t.Helper()
	problems, ok := errors.AsType[config.Errors](fmt.Errorf("start: %w", err))
	if !ok {
		t.Fatalf("no config.Errors in %v", err)
	}
	return problems
}

func TestAnErrorShowsWhatIsKnown(t *testing.T) {
	tests := []struct {
		name string
		err  config.Error
		want string
	}{
		{"everything", config.Error{File: "c.json", Line: 1, Column: 2, Path: "mcpServers.a", Message: "m; n"}, "c.json:1:2: mcpServers.a: m; n"},
		{"no path", config.Error{File: "c.json", Line: 1, Column: 2, Message: "m; n"}, "c.json:1:2: m; n"},
		{"no line", config.Error{File: "c.json", Path: "mcpServers.a", Message: "m; n"}, "c.json: mcpServers.a: m; n"},
		{"a file that would break the line", config.Error{File: "c\n", Message: "m; n"}, `"c\n": m; n`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := test.err.Error(); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

func TestErrorsAreOneLineEachAndEachCanBeFound(t *testing.T) {
	first := &config.Error{File: "a", Message: "m"}
	second := &config.Error{File: "b", Message: "n", Err: io.ErrUnexpectedEOF}
	err := error(config.Errors{first, second})
	if got, want := err.Error(), "a: m\nb: n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if !errors.Is(err, second) || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error("the second problem or its cause cannot be found")
	}
	if found, ok := errors.AsType[*config.Error](err); !ok || found != first {
		t.Errorf("found %v, want the first problem", found)
	}
}

func TestCodesAreWhatProgramsReadThemAs(t *testing.T) {
	for code, want := range map[config.Code]string{
		config.FileNotFound:   "file_not_found",
		config.FileUnreadable: "file_unreadable",
		config.InvalidJSON:    "invalid_json",
		config.InvalidSchema:  "invalid_schema",
		config.MissingEnvVar:  "missing_env_var",
		config.CircularConfig: "circular_config",
	} {
		if string(code) != want {
			t.Errorf("code %q, want %q", code, want)
		}
	}
}
