// Package child runs the MCP servers of an mcpServers file as child processes:
// it spawns them, introduces the client to them, reads their tools, carries
// calls to them and answers back, and stops them.
//
// One goroutine owns one child (Manager starts it and joins it) and alone
// moves it from initializing to running, failed or stopped; everyone else
// reads its Status.
package child
