package main

import "mcp-aggregator/bench/report"

// Lines returns a function that writes a number of calls, the first of which has the given
// id.
func Lines(l report.Load, room int, prefixes ...string) func(id, count int) []byte {
	b := prepare(load{l, 0}, room, prefixes...)
	return func(id, count int) []byte {
		var w gather
		_ = b.write(&w, id, count) // never fails
		return w
	}
}

type gather []byte

func (g *gather) Write(p []byte) (int, error) {
	*g = append(*g, p...)
	return len(p), nil
}

// IDOf returns the id of a result that begins with head.
var IDOf = idOf

// FirstID is the id of a session's first request.
const FirstID = firstID
