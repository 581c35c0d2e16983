package main

import (
	"bytes"
	"strings"

	"github.com/alecthomas/kong"
)

// unconfigured is embedded by the commands that need no --config. It stays a
// flag of the program, so that it may stand in front of a command, too.
type unconfigured struct{}

// BeforeReset is called by kong before it looks for missing flags.
func (unconfigured) BeforeReset(ctx *kong.Context) error { //nolint:unparam // kong wants an error
	for _, flag := range ctx.Model.Flags {
		if flag.Name == "config" {
			flag.Required = false
		}
	}
	return nil
}

// help prints the help. Kong's own says of every command that it needs what
// the program's flags require.
func help(options kong.HelpOptions, ctx *kong.Context) error {
	var text bytes.Buffer
	out := ctx.Stdout
	ctx.Stdout = &text
	err := kong.DefaultHelpPrinter(options, ctx)
	ctx.Stdout = out
	if err != nil {
		return err
	}
	_, err = strings.NewReplacer(
		"\n  import --config=FILE", "\n  import",
		"\n  uninstall --config=FILE", "\n  uninstall",
		"\n  completion --config=FILE", "\n  completion",
	).WriteString(out, text.String())
	return err
}
