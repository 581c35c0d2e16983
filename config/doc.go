// Package config reads a Claude-compatible mcpServers file.
//
// Each stage of the pipeline has a type of its own:
//
//	Path -> Loader -> File -> Expander (+ Env) -> McpConfig
//
// [Loader] reads and validates the file, [Expander] puts the environment's
// variables in. Problems that leave something to go on travel in [File], so
// that the person who has to fix the file sees all of them at once, in file
// order, as [Errors]. No message contains the value of a variable.
//
// [Chain] guards against an aggregator that would start itself for ever.
package config
