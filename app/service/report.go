package service

import (
	"errors"
	"fmt"
	"strings"

	"mcp-aggregator/config"
)

// program begins the lines that do not begin with the place in a file.
const program = "mcp-aggregator: "

// report tells the user what went wrong, if anything, and returns the exit code.
func report(o Options, err error) int {
	if err == nil {
		return ExitOK
	}
	lines, code := problems(err)
	for _, line := range lines {
		if o.LogFormat == jsonFormat {
			newLogger(o).Error(strings.TrimPrefix(line, program)) //nolint:sloglint // what is wrong is all there is to say
			continue
		}
		fmt.Fprintln(o.Stderr, line)
	}
	return code
}

// problems are what an error says, a line each, and the exit code.
func problems(err error) (lines []string, code int) {
	if mistakes, ok := errors.AsType[config.Errors](err); ok {
		return strings.Split(mistakes.Error(), "\n"), ExitConfig
	}
	text, code := root(err).Error(), ExitFailed
	if mistake, ok := errors.AsType[*configError](err); ok {
		text, code = mistake.Error(), ExitConfig
	}
	for line := range strings.SplitSeq(text, "\n") {
		lines = append(lines, program+line)
	}
	return lines, code
}
