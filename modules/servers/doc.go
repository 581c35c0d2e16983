// Package servers is the heart of the service: the record of each external MCP
// server, where records are stored, and ServerRegistry, which holds them, changes
// them, and tells those who act on them.
package servers
