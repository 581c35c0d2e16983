// Package redact makes texts of servers fit for people: without the values that
// are secret, however they are escaped or encoded, and without what could act on a
// terminal.
//
// It is the one place that decides what of a server's configuration is secret:
// [Connection.Masked] is how the configuration may be shown, [Connection.Secrets] is
// what no message may repeat, and both follow from the same finding. A [Redactor]
// takes the secrets out of messages.
package redact
