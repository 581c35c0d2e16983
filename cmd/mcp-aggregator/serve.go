package main

import (
	"cmp"
	"context"
	"errors"
	"os"
	"slices"
	"strings"

	"mcp-aggregator/app/service"
	"mcp-aggregator/app/version"
)

// database is embedded by the commands that open it.
type database struct {
	Database string `help:"SQLite file, or postgres://USER:PASSWORD@HOST/NAME." default:"${database}" env:"MCP_AGGREGATOR_DATABASE"`
}

// AfterApply is called by kong.
func (d database) AfterApply() error {
	if d.Database == "" {
		return errors.New("--database: there is no home directory for a default: give a file")
	}
	return nil
}

type serveCommand struct {
	database

	Listen     string   `help:"Address to listen at; port 0 picks a free one." default:"127.0.0.1:8080"`
	Token      token    `help:"Token that requests must have; required to listen at other than loopback addresses. Better set the variable: other users can see arguments." placeholder:"TOKEN" env:"MCP_AGGREGATOR_TOKEN"`
	Config     []string `help:"mcpServers file whose servers are registered, unless their names are already. Repeatable." placeholder:"FILE" sep:"none"`
	NoMigrate  bool     `help:"Do not migrate the database; mcp-aggregator migrate does that."`
	InheritEnv bool     `help:"Give the servers the whole environment except MCP_AGGREGATOR_..., not only the safe part of it."`
	LogFormat  string   `help:"Format of the log on standard error: text or json." enum:"text,json" default:"text"`
	Debug      bool     `help:"Log debug messages, too."`
}

// AfterApply is called by kong.
func (s *serveCommand) AfterApply() error { return cmp.Or(s.database.AfterApply(), s.Token.check()) }

// Run is called by kong.
func (s *serveCommand) Run() error {
	return service.Serve(service.Options{
		Listen: s.Listen, Database: s.Database, NoMigrate: s.NoMigrate, Token: string(s.Token),
		Configs: s.Config, InheritEnv: s.InheritEnv, LogFormat: s.LogFormat, Debug: s.Debug,
		Version: version.String(), Environ: withoutOwn(os.Environ()), Stderr: os.Stderr,
	})
}

// withoutOwn returns the environment for the servers: it lacks this program's own
// variables, such as the token.
func withoutOwn(environ []string) []string {
	return slices.DeleteFunc(environ, func(entry string) bool { return strings.HasPrefix(entry, "MCP_AGGREGATOR_") })
}

type migrateCommand struct {
	database

	Up     migrateUp     `cmd:"" default:"1" help:"Make the pending migrations (the default)."`
	Down   migrateDown   `cmd:"" help:"Undo the last migration; data that only its schema can hold is lost."`
	Status migrateStatus `cmd:"" help:"Show the migrations and when they were made."`
}

type (
	migrateUp   struct{}
	migrateDown struct {
		Yes bool `help:"Confirm the loss of data: undoing the first migration removes all servers, tools and histories."`
	}
	migrateStatus struct{}
)

// AfterApply is called by kong.
func (d migrateDown) AfterApply() error {
	if !d.Yes {
		return errors.New("undoing a migration may lose data, undoing the first one all of it: make a copy of the database, and give --yes")
	}
	return nil
}

// Run is called by kong.
func (migrateUp) Run(c *commandLine) error {
	return service.MigrateUp(context.Background(), c.Migrate.Database, os.Stdout)
}

// Run is called by kong.
func (migrateDown) Run(c *commandLine) error {
	return service.MigrateDown(context.Background(), c.Migrate.Database, os.Stdout)
}

// Run is called by kong.
func (migrateStatus) Run(c *commandLine) error {
	return service.MigrationStatus(context.Background(), c.Migrate.Database, os.Stdout)
}
