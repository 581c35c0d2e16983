// Package simple composes mcp-simple-aggregator: it lists its modules, adapts one to
// another, and runs the program for a client on stdio, or for a single call.
package simple
