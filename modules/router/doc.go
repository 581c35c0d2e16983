// Package router carries calls: RequestRouter resolves the name of a tool to a
// session and forwards the call, waits for a server that is being connected, and
// sends again what was certainly not executed, or may be executed twice. What servers
// ask and tell meanwhile, serverRequests bring to the client whose call it concerns.
package router
