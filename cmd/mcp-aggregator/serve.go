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
	NoLearning bool     `help:"Do not learn from which tools are called after a search. What was learned is kept, and not used."`
	LogFormat  string   `help:"Format of the log on standard error: text or json." enum:"text,json" default:"text"`
	Debug      bool     `help:"Log debug messages, too."`

	embeddings
}

// embeddings are the flags of the search by meaning. The keys are no flags: other users
// can see arguments.
type embeddings struct {
	URL         string `name:"embeddings-url" placeholder:"URL" help:"Search by meaning, too, with vectors from an endpoint such as http://localhost:11434/v1. Its key, if it wants one, is the variable MCP_AGGREGATOR_EMBEDDINGS_KEY."`
	Model       string `name:"embeddings-model" help:"Model at --embeddings-url or, without that, the folder of a Model2Vec model, which needs no network." placeholder:"NAME|DIR"`
	DailyTokens int    `name:"embeddings-daily-tokens" help:"Tokens that are sent to --embeddings-url a day at most, estimated; 0 for no limit." default:"10000000"`
	ToolPrefix  string `name:"embeddings-tool-prefix" help:"Text that the model wants before a document, such as 'passage: '." placeholder:"TEXT"`
	QueryPrefix string `name:"embeddings-query-prefix" help:"Text that the model wants before a query, such as 'query: '." placeholder:"TEXT"`
	Vectors     string `help:"Where the vectors are, if not in the database: postgres://USER:PASSWORD@HOST/NAME with pgvector, or http://HOST:6334 of a Qdrant, whose key is the variable MCP_AGGREGATOR_QDRANT_KEY." placeholder:"URL" env:"MCP_AGGREGATOR_VECTORS"`
}

func (e embeddings) options() service.Embeddings {
	return service.Embeddings{
		URL: e.URL, Model: e.Model, Key: os.Getenv(embeddingsKey), DailyTokens: e.DailyTokens,
		ToolPrefix: e.ToolPrefix, QueryPrefix: e.QueryPrefix, Vectors: e.Vectors, QdrantKey: os.Getenv(qdrantKey),
	}
}

// Variables with keys.
const (
	embeddingsKey = "MCP_AGGREGATOR_EMBEDDINGS_KEY"
	qdrantKey     = "MCP_AGGREGATOR_QDRANT_KEY"
)

func (e embeddings) check() error {
	if e.DailyTokens < 0 {
		return errors.New("--embeddings-daily-tokens: must not be negative; 0 means no limit")
	}
	return cmp.Or(checkHeader(embeddingsKey, os.Getenv(embeddingsKey)), checkHeader(qdrantKey, os.Getenv(qdrantKey)))
}

// AfterApply is called by kong.
func (s *serveCommand) AfterApply() error {
	return cmp.Or(s.database.AfterApply(), s.Token.check(), s.check())
}

// Run is called by kong.
func (s *serveCommand) Run() error {
	return service.Serve(service.Options{
		Listen: s.Listen, Database: s.Database, NoMigrate: s.NoMigrate, Token: string(s.Token),
		Configs: s.Config, InheritEnv: s.InheritEnv, NoLearning: s.NoLearning, Embeddings: s.options(),
		LogFormat: s.LogFormat, Debug: s.Debug,
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
