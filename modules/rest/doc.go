// Package rest is the REST API of the service, under /api/v1: servers are
// registered, connected and disconnected, and their tools listed and called, with
// the arguments and the results as raw JSON. It describes itself: an OpenAPI 3.1
// document, made from the types that are sent and received, and a page of it.
//
// What it does to servers and tools it does through the small interfaces in
// deps.go. Errors are problems (RFC 9457) with a code that does not change.
package rest
