// Package gateway is the MCP server for clients of the service: streamable HTTP (MCP
// 2025-11-25, basic/transports#streamable-http) in front of the tools of all connected
// servers.
//
// There are three kinds of endpoints: one shows all tools, one the three tools of the lean
// mode (package lean), and one for each profile shows what the profile selects, in either
// mode. A session belongs to one of them.
//
// As with stdio there are two planes. The SDK handles sessions: initialize, versions, and
// the end of a session go through mcp.StreamableHTTPHandler. Calls, lists, and the
// requests and notifications of servers are carried as bytes. A response is
// application/json, unless events precede it: then it is a stream of server-sent events.
package gateway
