package redact

import (
	"iter"
	"regexp"
	"slices"
	"strings"
)

// secretsInArgs yields the index and the secret spans of each argument.
func secretsInArgs(args []string) iter.Seq2[int, []span] {
	return func(yield func(int, []span) bool) {
		previous := ""
		for i, arg := range args {
			if !yield(i, secretsInArg(previous, arg)) {
				return
			}
			previous = arg
		}
	}
}

// secretsInArg returns the secrets in an argument: all of it after a flag with a secret
// name, the value of a header, and those that secretsInText finds.
func secretsInArg(previous, arg string) []span {
	spans := secretsInText(arg)
	if flagPattern.MatchString(arg) {
		return spans
	}
	switch {
	case isHeaderFlag(previous):
		spans = append(spans, headerValue(arg))
	case isSecretFlag(previous):
		spans = append(spans, span{0, len(arg), true})
	}
	return spans
}

// secretsInText returns the secrets in a text that may be an argument, a URL, a command
// line, or several of them: every value whose name says that it is secret.
func secretsInText(text string) []span {
	return slices.Concat(secretsInAddresses(text), secretsInAssignments(text), secretsInHeaders(text), secretsInJSON(text), secretsInCommandLine(text))
}

// secretsInHeaders returns the value of a header that is joined to its flag or has no
// flag, and HTTP credentials.
func secretsInHeaders(text string) (spans []span) {
	if name, value, joined := strings.Cut(text, "="); joined && isHeaderFlag(name) {
		spans = append(spans, shiftSpans([]span{headerValue(value)}, len(name)+1)...)
	}
	if header, joined := strings.CutPrefix(text, "-H"); joined && strings.Contains(header, ":") {
		spans = append(spans, shiftSpans([]span{headerValue(header)}, len("-H"))...)
	}
	if at := headerPattern.FindStringSubmatchIndex(text); at != nil {
		name, space := text[at[2]:at[3]], at[4] < at[5]
		if isSecretName(name) && (space || strings.HasSuffix(strings.ToLower(name), "authorization")) {
			spans = append(spans, span{at[6], at[7], true})
		}
	}
	for _, at := range credentialsPattern.FindAllStringSubmatchIndex(text, -1) {
		const prose = 16 // a shorter word may be prose, as in "basic auth"
		if _, pair := decodedPair(text[at[2]:at[3]]); pair || at[3]-at[2] >= prose {
			spans = append(spans, span{at[2], at[3], true})
		}
	}
	return spans
}

// secretsInJSON returns the values of JSON members with secret names.
func secretsInJSON(text string) (spans []span) {
	for _, at := range memberPattern.FindAllStringSubmatchIndex(text, -1) {
		if isSecretName(text[at[2]:at[3]]) {
			spans = append(spans, span{at[4], at[5], true})
		}
	}
	return spans
}

var (
	// flagPattern matches an argument that is a flag, not the value of the flag before
	// it. A token may begin with a dash, too.
	flagPattern = regexp.MustCompile(`^-(?:-|[A-Za-z][A-Za-z0-9_.-]*(?:=|$))`)
	// headerPattern matches a header without a flag. Its groups are name, space and
	// value; without the space it may be something else, such as a container image.
	headerPattern = regexp.MustCompile(`(?s)^([A-Za-z0-9_-]+):([ \t]*)(\S.*)$`)
	// memberPattern matches a member of a JSON object whose value is a string.
	memberPattern = regexp.MustCompile(`"((?:[^"\\]|\\.)+)"\s*:\s*"((?:[^"\\]|\\.)*)"`)
	// credentialsPattern matches HTTP credentials anywhere.
	credentialsPattern = regexp.MustCompile(`(?i)\b(?:bearer|basic)[ \t]+([a-z0-9._~+/=-]+)`)
	// fieldNamePattern matches the name of a header. Some programs use = for the colon.
	fieldNamePattern = regexp.MustCompile(`^[ \t"']*[A-Za-z0-9_.-]+[ \t]*[:=]`)
	// nextAddressPattern matches the separator and the scheme of the next URL of a list.
	nextAddressPattern = regexp.MustCompile(`[ \t\r\n,;|]+[A-Za-z0-9+.-]+://`)
)

// headerValue returns the span of the value in "Name: value", or of all of text if it is
// not a header.
func headerValue(text string) span {
	from := 0
	if at := fieldNamePattern.FindStringIndex(text); at != nil {
		from = at[1]
	}
	return trimSpan(text, span{from, len(text), true})
}

// secretsInAssignments returns the values that are assigned to secret names, NAME=value.
// If the text begins with the name, the value is the rest of the text; otherwise it ends
// at what may separate it from the next one.
func secretsInAssignments(text string) (spans []span) {
	for i := 0; i < len(text); i++ {
		if text[i] != '=' {
			continue
		}
		from := nameBefore(text, i)
		if !isSecretName(text[from:i]) || isParameter(text[:from]) {
			continue
		}
		i++
		if from == 0 {
			spans = append(spans, trimSpan(text, span{i, len(text), true}))
		}
		value := text[i:]
		if next := nextAddressPattern.FindStringIndex(value); next != nil {
			value = value[:next[0]]
		}
		size := 0
		for _, separators := range []string{" \t\r\n;&#", " \t\r\n;&#,"} { // a comma may be part of it
			size = valueLength(value, separators)
			spans = append(spans, trimSpan(text, span{i, i + size, true}))
		}
		i += size - 1
	}
	return spans
}

// nameBefore returns the start of the name that ends before i.
func nameBefore(text string, i int) int {
	for i > 0 && isNameByte(text[i-1]) {
		i--
	}
	return i
}

// isParameter reports whether a URL parameter follows before. Those are left to
// secretsInQuery, which knows where they end.
func isParameter(before string) bool {
	return strings.HasSuffix(before, "?") || strings.HasSuffix(before, "&") && strings.Contains(before, "?")
}

func isNameByte(b byte) bool {
	return b == '_' || b == '-' || b == '.' || b == '%' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}

// valueLength returns the length of the value that text begins with. A quoted value ends
// with its quote.
func valueLength(text, separators string) int {
	if text != "" && (text[0] == '"' || text[0] == '\'') {
		if end := strings.IndexByte(text[1:], text[0]); end >= 0 {
			return end + 2
		}
	}
	if end := strings.IndexAny(text, separators); end >= 0 {
		return end
	}
	return len(text)
}

// secretsInCommandLine returns the secrets in a text that may be a command line.
func secretsInCommandLine(text string) (spans []span) {
	if !strings.ContainsAny(text, " \t\r\n") {
		return nil
	}
	previous := ""
	for from := 0; from < len(text); {
		size := wordLength(text[from:])
		s := trimSpan(text, span{from, from + size, false})
		if word := text[s.from:s.to]; word != text {
			spans = append(spans, shiftSpans(secretsInArg(previous, word), s.from)...)
			previous = word
		}
		from += size + 1
	}
	return spans
}

// wordLength returns the index of the first space in text outside quotes.
func wordLength(text string) int {
	var quote byte
	for i := range len(text) {
		switch b := text[i]; {
		case quote != 0 && b == quote:
			quote = 0
		case quote != 0:
		case b == '"' || b == '\'':
			quote = b
		case strings.IndexByte(" \t\r\n", b) >= 0:
			return i
		}
	}
	return len(text)
}

// secretNamePattern matches the names of flags, variables, parameters and members whose
// values are secret. Distinctive words match anywhere in a name, short ones as a whole.
var secretNamePattern = regexp.MustCompile(`token|secret|passw|passphrase|passcode|pwd|key|auth|credential|bearer|cookie|dsn|jwt|signature` +
	`|pass(?:[^a-z]|$)|(?:^|[^a-z])(?:pat|sig|sas|psk|otp|pin|pw|creds?)(?:[^a-z]|$)`)

// wordBoundary matches where a word begins in a name such as githubPat.
var wordBoundary = regexp.MustCompile(`([a-z0-9])([A-Z])`)

func isSecretName(name string) bool {
	return secretNamePattern.MatchString(strings.ToLower(wordBoundary.ReplaceAllString(name, "${1}_${2}")))
}

// isSecretFlag reports whether an argument is a flag whose value, the next argument, is
// secret.
func isSecretFlag(arg string) bool { return isFlag(arg) && isSecretName(arg) }

// isHeaderFlag reports whether an argument is a flag whose value is a header.
func isHeaderFlag(arg string) bool {
	return arg == "-H" || isFlag(arg) && strings.HasSuffix(strings.TrimSuffix(strings.ToLower(arg), "s"), "header")
}

func isFlag(arg string) bool {
	return strings.HasPrefix(arg, "-") && !strings.ContainsAny(arg, "= \t\r\n")
}
