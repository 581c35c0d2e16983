package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// unconfigured is embedded by the commands that need no --config. The flag stays one of
// the program, so that it may also precede the command.
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

// withoutServeFlags is embedded by the commands that refuse the flags of serve, because
// they neither serve nor write an entry that does.
type withoutServeFlags struct{}

// AfterApply is called by kong.
func (withoutServeFlags) AfterApply(ctx *kong.Context) error {
	serving := []string{"separator", "only", "allow", "deny", "lean", "pin", "name", "server-version", "inherit-env", "debug"}
	for _, path := range ctx.Path {
		if path.Flag != nil && slices.Contains(serving, path.Flag.Name) {
			return fmt.Errorf("--%s is for serving; give it to install", path.Flag.Name)
		}
	}
	return nil
}

// help prints the help. Kong's own says that every command needs the required flags of
// the program.
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
