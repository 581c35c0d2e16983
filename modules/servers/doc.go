// Package servers has the record of each external MCP server, the interfaces of the store
// that holds the records, and ServerRegistry, which changes them and notifies those who
// act on them.
package servers
