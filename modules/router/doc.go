// Package router carries calls. RequestRouter resolves the name of a tool to a session,
// waits for a server that is connecting, forwards the call, and retries a call that was
// not executed or may be executed twice. The requests and notifications that a server
// sends meanwhile go to the client whose call they belong to.
package router
