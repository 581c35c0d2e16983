package main

import (
	"fmt"
	"slices"

	"github.com/alecthomas/kong"
)

// unserved is embedded by the commands that serve nothing, and for which the
// flags of serving would say nothing.
type unserved struct{}

// AfterApply is called by kong.
func (unserved) AfterApply(ctx *kong.Context) error {
	serving := []string{"separator", "only", "allow", "deny", "name", "server-version", "inherit-env", "debug"}
	for _, path := range ctx.Path {
		if path.Flag != nil && slices.Contains(serving, path.Flag.Name) {
			return fmt.Errorf("--%s is for serving; give it to install", path.Flag.Name)
		}
	}
	return nil
}
