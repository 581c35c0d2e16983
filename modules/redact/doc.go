// Package redact makes texts of servers fit for people: without the values that
// are secret, however they are escaped, and without what could act on a terminal.
package redact
