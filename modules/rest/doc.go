// Package rest is the REST API of the service, under /api/v1. It registers, connects and
// disconnects servers, and lists, finds and calls their tools, with arguments and results as
// raw JSON. An OpenAPI 3.1 document, generated from the types of the bodies, and a page of it
// describe the API.
//
// Each resource has a file with the interface that it needs, its bodies, its endpoints and
// their handlers. A new endpoint needs such a file and a line in API.groups, and, if it
// needs another module, a field in [Deps]. Errors are problems (RFC 9457) with a code that
// never changes.
package rest
