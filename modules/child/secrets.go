package child

import (
	"mcp-aggregator/config"
	"mcp-aggregator/modules/redact"
)

// SecretsOf returns what no message may show of a server.
func SecretsOf(server config.ServerConfig) []string {
	env := make(map[string]string, len(server.Env))
	for _, v := range server.Env {
		env[v.Name] = v.Value
	}
	return redact.Connection{Command: server.Command, Args: server.Args, Env: env}.Secrets(server.Secrets...)
}
