// Package upstream is the MCP server that the client sees. The SDK's server
// speaks the session plane (initialize, ping); tools/list is answered from the
// registry, and tools/call is passed to the child as bytes.
package upstream
