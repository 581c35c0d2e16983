// Package upstream is the MCP server that the client of the stdio program sees. The
// SDK's server handles initialize and ping; tools/list is answered from the registry,
// and tools/call is forwarded to a child as bytes.
package upstream
