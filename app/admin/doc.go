// Package admin is the administrators' client of the service: it does over REST what
// the commands servers and tools of mcp-aggregator ask for, and prints what came of
// it. Standard output gets data only; what went wrong is an error of one line, with
// what to do about it.
package admin
