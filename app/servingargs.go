package app

import "mcp-aggregator/config/clients"

// servingArgs are the arguments to serve the file at path with: what install was
// told of serving holds for the client's entry.
func servingArgs(o Options, path string) []string {
	args := []string{"--config", path}
	if o.Separator != "auto" {
		args = append(args, "--separator", o.Separator)
	}
	if o.Name != clients.Program {
		args = append(args, "--name", o.Name)
	}
	for _, flag := range []struct {
		name   string
		values []string
	}{{"--only", o.Only}, {"--allow", o.Allow}, {"--deny", o.Deny}} {
		for _, value := range flag.values {
			args = append(args, flag.name, value)
		}
	}
	if o.InheritEnv {
		args = append(args, "--inherit-env")
	}
	if o.Debug {
		args = append(args, "--debug")
	}
	return args
}
