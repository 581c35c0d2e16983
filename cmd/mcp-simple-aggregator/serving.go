package app

import (
	"strings"

	"mcp-aggregator/config/clients"
)

// servingArgs are the arguments to serve the file at path with: what install was
// told of serving holds for the client's entry.
//
// A flag and its value are one argument: a value may begin with a dash.
func servingArgs(o Options, path string) []string {
	args := []string{"--config", path}
	if o.Separator != "auto" {
		args = append(args, "--separator="+o.Separator)
	}
	if o.Name != clients.Program {
		args = append(args, "--name="+o.Name)
	}
	for _, key := range o.Only { // kong splits these at commas
		args = append(args, "--only="+strings.ReplaceAll(key, ",", `\,`))
	}
	for _, pattern := range o.Allow {
		args = append(args, "--allow="+pattern)
	}
	for _, pattern := range o.Deny {
		args = append(args, "--deny="+pattern)
	}
	if o.InheritEnv {
		args = append(args, "--inherit-env")
	}
	if o.Debug {
		args = append(args, "--debug")
	}
	return args
}
