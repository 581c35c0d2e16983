package redact

import (
	"regexp"
	"strings"
)

// secretName is what the names of flags, variables, parameters and members have that
// are given secrets: words that are long enough stand anywhere in them, others alone.
var secretName = regexp.MustCompile(`token|secret|passw|passphrase|passcode|pwd|key|auth|credential|bearer|cookie|dsn|jwt|signature` +
	`|pass(?:[^a-z]|$)|(?:^|[^a-z])(?:pat|sig|sas|psk|otp|pin|pw|creds?)(?:[^a-z]|$)`)

// capital is where a word begins in a name like githubPat.
var capital = regexp.MustCompile(`([a-z0-9])([A-Z])`)

func saysSecret(name string) bool {
	return secretName.MatchString(strings.ToLower(capital.ReplaceAllString(name, "${1}_${2}")))
}

// isSecretFlag reports whether an argument is a flag whose value, which is the next
// argument, is secret.
func isSecretFlag(arg string) bool { return isFlag(arg) && saysSecret(arg) }

// isHeaderFlag reports whether an argument is a flag whose value is a header.
func isHeaderFlag(arg string) bool {
	return arg == "-H" || isFlag(arg) && strings.HasSuffix(strings.TrimSuffix(strings.ToLower(arg), "s"), "header")
}

func isFlag(arg string) bool {
	return strings.HasPrefix(arg, "-") && !strings.ContainsAny(arg, "= \t\r\n")
}
