// Package sessions keeps the sessions with external servers in their desired state: for
// each server, a reconciler of the SessionManager connects it, reconnects it after a loss,
// and disconnects it when it is no longer wanted. A [Dialer] for each transport makes the
// sessions.
package sessions
