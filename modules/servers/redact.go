package servers

import (
	"net/url"
	"slices"
	"strings"

	"mcp-aggregator/modules/redact"
)

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

// Restore returns the connection with the secrets of stored in the places where
// it has what [Connection.Redact] shows for them: of env and headers by name, of
// args by the flag. What stored lacks stays [Redacted], which is a problem; and so does
// everything if the connection leads to another program or host, which would be given
// what only the first was to know.
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

// originOf is the scheme and the host of an address; all of it if it has none.
func originOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return address
	}
	return u.Scheme + "://" + u.Host
}

// RestoreURL returns stored if address is how it is shown, and address otherwise.
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

// restoreArgs gives each redacted argument the next stored one that is shown so
// and stands behind the same argument.
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

// argumentKey tells redacted arguments apart: by themselves, and, if nothing of them is
// shown, by what stands in front.
func argumentKey(args []string, i int) string {
	if args[i] != Redacted || i == 0 {
		return args[i]
	}
	return args[i-1] + "\x00" + args[i]
}
