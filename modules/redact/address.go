package redact

import (
	"net/url"
	"regexp"
	"strings"
)

// schemePattern matches the beginning of a URL anywhere in a text.
var schemePattern = regexp.MustCompile(`([A-Za-z0-9+.-]*)://`)

// secretsInAddresses returns the secrets in every URL in text: passwords, tokens in
// place of the user name, and parameters with secret names.
func secretsInAddresses(text string) (spans []span) {
	begun := schemePattern.FindAllStringSubmatchIndex(text, -1)
	if begun == nil { // the scheme may be in a reference, as in ${BASE}?key=...
		return secretsInQuery(text)
	}
	for i, at := range begun {
		end := len(text)
		if i+1 < len(begun) {
			end = begun[i+1][0]
		}
		rest := text[at[1]:end]
		if i+1 < len(begun) {
			rest = strings.TrimRight(rest, " \t\r\n,;|")
		}
		if at[0] > 0 {
			rest = cutAtClosingQuote(rest, text[at[0]-1])
		}
		if space := strings.IndexAny(rest, " \t\r\n"); space >= 0 {
			rest = rest[:space]
		}
		spans = append(spans, shiftSpans(secretsInAddress(strings.ToLower(text[at[2]:at[3]]), rest), at[1])...)
	}
	return spans
}

// cutAtClosingQuote cuts a URL at the quote or the bracket that closes the one before it.
func cutAtClosingQuote(text string, open byte) string {
	if i := strings.IndexByte("\"'`<(", open); i >= 0 {
		text, _, _ = strings.Cut(text, "\"'`>)"[i:i+1])
		return strings.TrimRight(text, `\`)
	}
	return text
}

// secretsInAddress returns the secrets in rest, which follows the scheme of a URL.
func secretsInAddress(scheme, rest string) (spans []span) {
	from := 0
	for _, end := range userinfoEnds(rest) {
		spans = append(spans, secretsInUserinfo(scheme, rest[:end])...)
		from = end
	}
	return append(spans, shiftSpans(secretsInQuery(rest[from:]), from)...)
}

// userinfoEnds returns the indexes where user and password may end: at the last @ of
// the authority, because a password may contain one. If the authority has none and its
// port is not a number, the password may contain a slash; then the first and the last @
// of rest are both possible.
func userinfoEnds(rest string) []int {
	authority := rest
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		authority = rest[:end]
	}
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		return []int{at}
	}
	first, last := strings.IndexByte(rest, '@'), strings.LastIndexByte(rest, '@')
	_, port, found := strings.Cut(authority, ":")
	if first < 0 || !found || strings.Trim(port, "0123456789") == "" || strings.HasPrefix(authority, "[") {
		return nil
	}
	return []int{first, last}
}

// secretsInUserinfo returns the secrets in user:password. A user name is not secret,
// unless it is in a place where HTTP has a token, or is as long as one.
func secretsInUserinfo(scheme, user string) []span {
	const tokenSize, github = 16, "x-oauth-basic" // GitHub's constant password beside a token
	name, password, _ := strings.Cut(user, ":")
	if password != "" && password != github {
		spans := []span{{len(name) + 1, len(user), true}}
		if len(name) >= tokenSize {
			spans = append(spans, span{0, len(name), true})
		}
		return spans
	}
	if name != "" && (len(name) >= tokenSize || scheme == "" || strings.Contains(scheme, "http") || strings.HasPrefix(scheme, "ws")) {
		return []span{{0, len(name), true}}
	}
	return nil
}

// secretsInQuery returns the values of parameters with secret names, in the query and
// the fragment.
func secretsInQuery(text string) (spans []span) {
	begin := strings.IndexAny(text, "?#")
	if begin < 0 {
		return nil
	}
	for from := begin + 1; from <= len(text); {
		size := strings.IndexAny(text[from:], "?&;#")
		if size < 0 {
			size = len(text) - from
		}
		name, _, found := strings.Cut(text[from:from+size], "=")
		if found && isSecretParameter(name) {
			spans = append(spans, parameterSpans(text, span{from + len(name) + 1, from + size, true})...)
		}
		from += size + 1
	}
	return spans
}

func isSecretParameter(name string) bool {
	if plain, err := url.QueryUnescape(name); err == nil {
		name = plain
	}
	return isSecretName(name) || strings.EqualFold(name, "code")
}

// parameterSpans returns a value and, if a quote or bracket around the URL may have
// ended up in it, the value up to there.
func parameterSpans(text string, s span) []span {
	value := text[s.from:s.to]
	if end := strings.IndexAny(value, "\"'`<>,)}"); end > 0 && !strings.Contains(value, "${") {
		return []span{s, {s.from, s.from + end, true}}
	}
	return []span{s}
}
