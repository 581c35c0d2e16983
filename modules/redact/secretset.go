package redact

import (
	"encoding/base64"
	"net/url"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// secretSet collects secrets and those parts of them that may be repeated on their own.
// The value is true if a name says that the text is secret.
type secretSet map[string]bool

func (f secretSet) addSpans(text string, spans []span) {
	for _, s := range spans {
		f.add(text[s.from:s.to], s.labeled)
	}
}

// add adds a value and its parts. named is true if a name says that it is secret.
func (f secretSet) add(value string, named bool) {
	if was, found := f[value]; found && (was || !named) || isCommonValue(value, named) {
		return
	}
	f[value] = named
	f.addSpans(value, secretsInText(value))
	for _, other := range otherForms(value) {
		f.add(other, named)
	}
	if scheme := authScheme.FindStringSubmatch(value); scheme != nil && (named || knownScheme.MatchString(scheme[1])) {
		f.add(scheme[2], true)
	}
	if pair, ok := decodedPair(value); ok {
		_, password, _ := strings.Cut(pair, ":")
		f.add(pair, false)
		f.add(password, true)
	}
	if named {
		f.addPieces(value)
	}
}

// addPieces adds the password of user:password, the keys of a list, and the values of a
// list such as a cookie. Short pieces are left out: they would match in every message.
func (f secretSet) addPieces(value string) {
	const long = 8
	if _, password, found := strings.Cut(value, ":"); found && !strings.HasPrefix(password, "//") && !strings.ContainsAny(value, " {") {
		f.add(password, false)
	}
	for rest := value; strings.Contains(rest, "@"); { // a program that ends the password at the first @ shows the rest
		if _, rest, _ = strings.Cut(rest, "@"); len(rest) >= long/2 && !strings.Contains(rest, " ") {
			f.add(rest, false)
		}
	}
	for piece := range strings.FieldsFuncSeq(value, func(r rune) bool { return strings.ContainsRune("; ,&", r) }) {
		_, member, assigned := strings.Cut(piece, "=")
		switch {
		case assigned && len(strings.Trim(member, `="`)) >= long:
			f.add(strings.Trim(member, `"`), false)
		case !assigned && len(piece) >= long && !strings.Contains(value, " "): // words of a sentence are not keys
			f.add(piece, false)
		}
	}
}

var (
	// authScheme matches a value of Authorization: a scheme and credentials.
	authScheme = regexp.MustCompile(`^[ \t]*([A-Za-z][A-Za-z0-9._-]*)[ \t]+(\S+)[ \t]*$`)
	// knownScheme matches a scheme that is recognized outside Authorization, too.
	knownScheme = regexp.MustCompile(`(?i)^(?:bearer|basic|token|api-?key|negotiate|dpop)$`)
)

// decodedPair returns the user and the password that Basic authentication encodes.
func decodedPair(value string) (string, bool) {
	decoded, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(strings.NewReplacer("-", "+", "_", "/").Replace(value), "="))
	text := string(decoded)
	unprintable := func(r rune) bool { return !unicode.IsPrint(r) }
	if err != nil || !utf8.ValidString(text) || strings.ContainsFunc(text, unprintable) {
		return "", false
	}
	return text, strings.Contains(text, ":")
}

// otherForms returns a value without the quotes, space, padding and escapes that it has
// in a URL or in JSON.
func otherForms(value string) []string {
	forms := []string{strings.TrimSpace(value), strings.TrimRight(value, "=")}
	if s := trimSpan(value, span{0, len(value), false}); s.to > s.from {
		forms = append(forms, value[s.from:s.to])
	}
	if strings.ContainsAny(value, "%+") {
		for _, unescape := range []func(string) (string, error){url.PathUnescape, url.QueryUnescape} {
			if plain, err := unescape(value); err == nil {
				forms = append(forms, plain)
			}
		}
	}
	if plain, found := (layer{text: value}).unescaped(escapes[0]); found {
		forms = append(forms, plain.text)
	}
	return forms
}

// isCommonValue reports whether a value is not worth hiding: white space, a single
// character, or a common setting, unless a name says that it is secret. Redacting those
// would make messages unreadable.
func isCommonValue(value string, named bool) bool {
	switch strings.ToLower(strings.TrimSpace(value)) {
	case "", "true", "false", "yes", "no", "on", "off", "none", "null", "nil":
		return true
	case "auto", "default", "all", "any", "enabled", "disabled", "trace", "debug", "info", "warn", "warning", "error",
		"fatal", "verbose", "quiet", "silent", "list", "json", "text", "plain", "utf-8", "utf8", "stdio", "http", "https",
		"sse", "tcp", "local", "localhost", "127.0.0.1", "0.0.0.0", "::1", "dev", "development", "test", "testing",
		"prod", "production", "staging", "main", "master", "read", "write", "user", "admin", "root", "server", "client", "tools":
		return !named
	}
	return utf8.RuneCountInString(value) < 2
}
