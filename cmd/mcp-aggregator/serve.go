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

	Listen     string   `help:"Address to listen at; port 0 is any that is free." default:"127.0.0.1:8080"`
	Token      token    `help:"Token that requests must have; needed to listen at others than loopback addresses. Best given in the variable: others see arguments." placeholder:"TOKEN" env:"MCP_AGGREGATOR_TOKEN"`
	Config     []string `help:"mcpServers file, whose servers are registered if none of their names is. Repeatable." placeholder:"FILE" sep:"none"`
	NoMigrate  bool     `help:"Leave the database as it is: migrate it with mcp-aggregator migrate."`
	InheritEnv bool     `help:"Give the servers the whole environment but for MCP_AGGREGATOR_..., not only the safe part of it."`
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

	Up     migrateUp     `cmd:"" default:"1" help:"Make the migrations that are pending (the default)."`
	Down   migrateDown   `cmd:"" help:"Undo the last migration; what only its form can hold is lost."`
	Status migrateStatus `cmd:"" help:"Show the migrations and when they were made."`
}

type (
	migrateUp   struct{}
	migrateDown struct {
		Yes bool `help:"Yes, lose what only the newer form can hold: undoing the first migration removes all servers, tools and histories."`
	}
	migrateStatus struct{}
)

// AfterApply is called by kong.
func (d migrateDown) AfterApply() error {
	if !d.Yes {
		return errors.New("data may be lost, with the first migration all of it: make a copy of the database, and give --yes")
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
