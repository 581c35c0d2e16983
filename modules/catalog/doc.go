// Package catalog has the tools of all servers: ToolAggregator gives the tools that the
// sessions discover their namespaced names, lists them in a registry.ToolRegistry, which
// clients see, and stores them beyond the end of the connection and of the service.
package catalog
