// Package config reads a Claude-compatible mcpServers file.
//
// Each stage of the pipeline has a type of its own:
//
//	Path -> Loader -> File -> Expander (+ Env) -> McpConfig
//
// [Loader] reads and validates the file, [Expander] substitutes environment variables.
// Problems that do not prevent the next stage are carried along in [File], so that
// the user sees all of them at once, in file order, as [Errors]. No message contains the
// value of a variable.
//
// [Chain] prevents an aggregator from starting itself recursively.
package config
