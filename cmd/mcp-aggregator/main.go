// Command mcp-aggregator is the service that registers MCP servers over stdio, SSE and
// streamable HTTP, and offers their tools over REST and MCP.
package main

import (
	"os"

	"github.com/alecthomas/kong"

	"mcp-aggregator/app/service"
)

type cli struct {
	Serve serve `cmd:"" help:"Run the service."`
}

type serve struct {
	Listen   string   `help:"Address to listen at." default:"127.0.0.1:8080" placeholder:"HOST:PORT"`
	Database string   `help:"SQLite file, or URL of a PostgreSQL database."`
	Token    string   `help:"Token that requests must have." env:"MCP_AGGREGATOR_TOKEN"`
	Config   []string `help:"mcpServers file of servers to register." placeholder:"FILE" sep:"none"`
	Debug    bool     `help:"Log debug messages, too."`
}

func main() {
	var c cli
	kong.Parse(&c, kong.Name("mcp-aggregator"))
	os.Exit(service.Serve(service.Options{
		Listen: c.Serve.Listen, Database: c.Serve.Database, Token: c.Serve.Token, Configs: c.Serve.Config, Debug: c.Serve.Debug,
		Version: "dev", Environ: os.Environ(), Stderr: os.Stderr,
	}))
}
