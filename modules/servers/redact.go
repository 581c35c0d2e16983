package servers

import (
	"regexp"
	"strings"
)

// Redacted stands for a secret where a record is shown. Who sends it back keeps
// the stored secret.
const Redacted = "[redacted]"

// shown is a value that holds no secret: references only, perhaps behind the
// name of a scheme, as in "Bearer ${TOKEN}". A reference with a default is not
// shown, and $name in lower case is none.
var shown = regexp.MustCompile(`^(?:(?i:bearer|basic|token) )?(?:\$(?:[A-Z_][A-Z0-9_]*|\{[A-Za-z_][A-Za-z0-9_]*\}))+$`)

// secretName is what the names of flags and of parameters have that are given
// secrets.
var secretName = regexp.MustCompile(`(?i)(token|secret|passw|passphrase|key|auth|credential|bearer|cookie|dsn|signature)`)

// Redact returns the connection as it may be shown: of env and headers the values
// that are not made of references only, of args what follows flags like --token,
// and of the URL's parameters likewise stand as [Redacted].
func (c Connection) Redact() Connection {
	c.Env = redactValues(c.Env)
	c.Headers = redactValues(c.Headers)
	c.Args = redactArgs(c.Args)
	c.URL = RedactURL(c.URL)
	return c
}

func redactValues(values map[string]string) map[string]string {
	if values == nil {
		return nil
	}
	out := make(map[string]string, len(values))
	for name, value := range values {
		out[name] = redactValue(value)
	}
	return out
}

func redactValue(value string) string {
	if value == "" || shown.MatchString(value) {
		return value
	}
	return Redacted
}

func redactArgs(args []string) []string {
	if args == nil {
		return nil
	}
	out := make([]string, len(args))
	for i, arg := range args {
		out[i] = redactArg(args, i, arg)
	}
	return out
}

// redactArg redacts one argument: what is joined by = to a flag or a variable, what
// stands behind a flag, and the parameters of a URL.
func redactArg(args []string, i int, arg string) string {
	flag, value, joined := strings.Cut(arg, "=")
	switch {
	case joined && !strings.Contains(flag, "://") && secretName.MatchString(flag):
		return flag + "=" + redactValue(value)
	case i > 0 && isSecretFlag(args[i-1]) && !strings.HasPrefix(arg, "-"):
		return redactValue(arg)
	case strings.Contains(arg, "://"):
		return RedactURL(arg)
	default:
		return arg
	}
}

func isSecretFlag(arg string) bool {
	return strings.HasPrefix(arg, "-") && !strings.Contains(arg, "=") && secretName.MatchString(arg)
}

// RedactURL returns the address without its password and without the values of
// parameters that are called like secrets.
func RedactURL(address string) string {
	address = redactPassword(address)
	front, query, found := strings.Cut(address, "?")
	if !found {
		return address
	}
	query, fragment, hasFragment := strings.Cut(query, "#")
	pairs := strings.Split(query, "&")
	for i, pair := range pairs {
		if name, value, _ := strings.Cut(pair, "="); value != "" && secretName.MatchString(name) {
			pairs[i] = name + "=" + redactValue(value)
		}
	}
	query = strings.Join(pairs, "&")
	if hasFragment {
		query += "#" + fragment
	}
	return front + "?" + query
}

// password is what stands between the user and the host of an address.
var password = regexp.MustCompile(`(://[^/?#@:]*:)([^/?#@]+)@`)

func redactPassword(address string) string {
	at := password.FindStringSubmatchIndex(address)
	if at == nil {
		return address
	}
	return address[:at[4]] + redactValue(address[at[4]:at[5]]) + address[at[5]:]
}
