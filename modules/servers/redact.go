package servers

import (
	"net/url"
	"slices"
	"strings"

	"mcp-aggregator/modules/redact"
)

// Redacted replaces a secret where a record is shown. A client that sends it back keeps
// the stored secret.
const Redacted = redact.Mark

// Redact returns the connection with each secret replaced by [Redacted].
func (c Connection) Redact() Connection { return Connection(redact.Connection(c).Masked()) }

// RedactURL returns the URL with each secret replaced by [Redacted].
func RedactURL(address string) string { return redact.Address(address) }

// Secrets returns the texts that no message may contain: the secrets of the server, whose
// connection is expanded, and the values that were put into it. The longest come first.
func (s Server) Secrets(values ...string) []string {
	health := redact.Connection{URL: s.HealthCheckURL}
	return redact.Connection(s.Connection).Secrets(append(values, health.Secrets()...)...)
}

// Restore returns the connection with the secrets of stored wherever it has what
// [Connection.Redact] shows for them: by name in env and headers, by flag in args. A
// secret that stored does not have stays [Redacted], which Validate reports. So do all of
// them if the connection names another program or host, which must not receive the secrets
// of the first.
func (c Connection) Restore(stored Connection) Connection {
	shown := stored.Redact()
	c.URL = RestoreURL(c.URL, stored.URL)
	if c.Command == shown.Command {
		c.Command = stored.Command
	}
	if c.Command != stored.Command || originOf(c.URL) != originOf(stored.URL) {
		return c
	}
	c.Env = restoreValues(c.Env, stored.Env)
	c.Headers = restoreValues(c.Headers, stored.Headers)
	c.Args = restoreArgs(c.Args, stored.Args, shown.Args)
	return c
}

// originOf returns the scheme and host of a URL, or all of it if it has none.
func originOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return address
	}
	return u.Scheme + "://" + u.Host
}

// RestoreURL returns stored if address is its redacted form, and address otherwise.
func RestoreURL(address, stored string) string {
	if address == RedactURL(stored) {
		return stored
	}
	return address
}

func restoreValues(values, stored map[string]string) map[string]string {
	if values == nil {
		return nil
	}
	out := make(map[string]string, len(values))
	for name, value := range values {
		if secret, found := stored[name]; found && value == Redacted {
			value = secret
		}
		out[name] = value
	}
	return out
}

// restoreArgs replaces each redacted argument with the next stored one that has the same
// redacted form and follows the same argument.
func restoreArgs(args, stored, redacted []string) []string {
	out := slices.Clone(args)
	next := map[string]int{}
	for i, arg := range args {
		if !strings.Contains(arg, Redacted) {
			continue
		}
		key := argumentKey(args, i)
		for j := next[key]; j < len(stored); j++ {
			if argumentKey(redacted, j) == key {
				out[i], next[key] = stored[j], j+1
				break
			}
		}
	}
	return out
}

// argumentKey identifies a redacted argument by its text or, if that is fully redacted, by
// its text and the argument before it.
func argumentKey(args []string, i int) string {
	if args[i] != Redacted || i == 0 {
		return args[i]
	}
	return args[i-1] + "\x00" + args[i]
}
