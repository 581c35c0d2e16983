package servers

import "mcp-aggregator/modules/redact"

// Redacted stands for a secret where a record is shown. Who sends it back keeps
// the stored secret.
const Redacted = redact.Mark

// Redact returns the connection as it may be shown, each secret as [Redacted].
func (c Connection) Redact() Connection { return Connection(redact.Connection(c).Masked()) }

// RedactURL returns an address likewise.
func RedactURL(address string) string { return redact.Address(address) }

// Secrets returns what no message may show of the server, whose connection is
// expanded, and of the values that were put into it. Longest first.
func (s Server) Secrets(values ...string) []string {
	health := redact.Connection{URL: s.HealthCheckURL}
	return redact.Connection(s.Connection).Secrets(append(values, health.Secrets()...)...)
}
