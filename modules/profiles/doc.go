// Package profiles holds named views of the tools, which MCP clients are served at an
// address of their own: which servers and which of their tools a client sees, and how.
package profiles
