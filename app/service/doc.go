// Package service composes mcp-aggregator: the service that registers servers over
// stdio, SSE and streamable HTTP, and offers their tools over REST and MCP. It is a
// package of its own, so that the stdio program links nothing of it.
package service
