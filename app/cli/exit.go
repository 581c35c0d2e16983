package cli

import (
	"errors"
	"fmt"
	"io"

	"mcp-aggregator/config"
)

// Exit codes of the programs.
const (
	ExitOK     = 0  // the client closed its end, or a signal asked the program to stop
	ExitFailed = 1  // something failed at run time
	ExitConfig = 78 // a configuration error (EX_CONFIG of sysexits.h)
	ExitUsage  = 80 // wrong usage (kong's own code)
)

// ExitError is the exit code of a command that has reported everything else itself.
type ExitError int

func (e ExitError) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// Exit returns an [ExitError] with that code; nil for [ExitOK].
func Exit(code int) error {
	if code == ExitOK {
		return nil
	}
	return ExitError(code)
}

// Report prints err, if there is one, and returns the exit code. The problems of a
// configuration file name their places, so they are printed without the program's
// name.
func Report(stderr io.Writer, program string, err error) int {
	if err == nil {
		return ExitOK
	}
	if code, ok := errors.AsType[ExitError](err); ok {
		return int(code)
	}
	if problems, ok := errors.AsType[config.Errors](err); ok {
		fmt.Fprintln(stderr, problems)
		return ExitConfig
	}
	fmt.Fprintf(stderr, "%s: %v\n", program, err)
	return ExitFailed
}
