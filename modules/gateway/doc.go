// Package gateway is the service towards MCP clients: streamable HTTP (MCP
// 2025-11-25, basic/transports#streamable-http) in front of the tools of all
// connected servers.
//
// As with stdio there are two planes. Sessions are the SDK's: initialize, ping, the
// versions, and the end of a session go through mcp.StreamableHTTPHandler. Calls,
// lists, and what servers tell and ask meanwhile are carried as bytes, and answered
// as application/json unless something has to be said before the answer: then the
// response becomes a stream of events.
package gateway
