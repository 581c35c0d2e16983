// Package sessions keeps the live sessions with external servers: SessionManager
// connects those that are wanted, reconnects those that drop, and disconnects
// those that are not wanted any more. How a session is made, and what it is made
// of, is the business of a [Dialer], one for each transport.
package sessions
