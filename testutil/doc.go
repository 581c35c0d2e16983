// Package testutil helps tests: fake children in memory, a raw MCP client, and
// the replacement of any piece of a composed program.
package testutil
