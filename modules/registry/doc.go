// Package registry holds the tools of all servers. It maps the public name of a tool to
// its server and its original name. Readers load an immutable [Snapshot]; writers
// replace it.
package registry
