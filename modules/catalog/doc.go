// Package catalog knows the tools of all servers: ToolAggregator namespaces what the
// sessions have discovered, lists it, and stores it. The list that clients see is a
// registry.ToolRegistry; what is stored outlives the connection, and the service.
package catalog
