// Package remote makes sessions with servers over streamable HTTP (MCP 2025-11-25,
// basic/transports) and over HTTP with SSE (MCP 2024-11-05, basic/transports).
package remote
