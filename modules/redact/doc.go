// Package redact makes texts of servers safe to show: it removes secret values, however
// they are escaped or encoded, and quotes control characters that could act on a terminal.
//
// It is the one place that decides which parts of a server's configuration are secret.
// [Connection.Masked] returns the configuration as it may be shown, [Connection.Secrets]
// the values that no message may contain; both apply the same rules. A [Redactor]
// removes the secrets from messages.
package redact
