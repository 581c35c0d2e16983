package config

import (
	"regexp"
	"strings"
)

// secretFlag is what the names of flags have that are given secrets.
var secretFlag = regexp.MustCompile(`(?i)^-.*(token|secret|passw|passphrase|key|auth|credential|bearer|cookie|dsn)`)

// secretArgs returns the values of arguments whose flags say that they are
// secret, as in "--token", "VALUE" and "--api-key=VALUE".
func secretArgs(args []string) (secrets []string) {
	for i, arg := range args {
		flag, value, joined := strings.Cut(arg, "=")
		switch {
		case !secretFlag.MatchString(flag):
		case joined:
			secrets = append(secrets, value)
		case i+1 < len(args) && !strings.HasPrefix(args[i+1], "-"):
			secrets = append(secrets, args[i+1])
		}
	}
	return secrets
}
