// Package admin is the administrators' client of the service. It runs the commands servers
// and tools of mcp-aggregator over the REST API and prints the results. Standard output
// gets data only; errors are one line each and say what to do.
package admin
