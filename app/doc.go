// Package app composes the programs: it lists the modules of each, adapts one
// module to another, and runs what they make.
//
// Glossary. MCP's and JSON-RPC's terms are used as their specifications use
// them; these are ours:
//
//	McpConfig          the validated, expanded mcpServers file        config.McpConfig
//	ServerConfig       one server of it                               config.ServerConfig
//	ConfigError        one problem with it                            config.Error
//	configuration key  the server's key in the file                   config.ServerConfig.Key
//	child              a server process that we started               child.Manager owns them
//	ChildServerError   why a child failed, and in which phase         child.Error
//	ServerStatus       initializing, running, failed, stopped         child.Status
//	ToolRegistry       public tool name -> child and its own name     registry.ToolRegistry
//	ToolRegistryEntry  one prefixed tool                              registry.Entry
//	prefixed tool      KEY + separator + tool: its public name        registry.Entry.Name
//	canonical name     KEY:TOOL, which may always be called           registry.Entry.Canonical
//	alias              the name of a tool for a client that is strict registry.View
//	AggregatorServer   the MCP server that the client sees            upstream.AggregatorServer
//	session plane      initialize, ping: spoken by the SDK            wire.Session
//	traffic plane      everything else: routed as bytes               wire.Message
package app
