package config_test

import (
	"encoding/json"
	"slices"
	"strings"
)

// oracle is the expansion's grammar once more, byte by byte.
func oracle(text string, lookup func(string) (string, bool)) (result string, missing []string) {
	var out strings.Builder
	for text != "" {
		if text[0] != '$' {
			out.WriteByte(text[0])
			text = text[1:]
			continue
		}
		if n := referenceLength(text[1:]); n > 0 { // $$NAME or $${...}
			out.WriteString(text[1 : 1+n])
			text = text[1+n:]
			continue
		}
		n := bodyLength(text[1:])
		if n == 0 {
			out.WriteByte('$')
			text = text[1:]
			continue
		}
		value, name, ok := oracleValue(text[1:1+n], lookup)
		if !ok && !slices.Contains(missing, name) {
			missing = append(missing, name)
		}
		out.WriteString(value)
		text = text[1+n:]
	}
	return out.String(), missing
}

func oracleValue(body string, lookup func(string) (string, bool)) (value, name string, ok bool) {
	name = strings.Trim(body[:1], "{") + body[1:]
	if body[0] == '{' {
		name = name[:len(name)-1]
	}
	fallback, hasFallback := "", false
	if i := strings.Index(name, ":-"); body[0] == '{' && i > 0 {
		name, fallback, hasFallback = name[:i], name[i+2:], true
	}
	if value, ok = lookup(name); ok {
		return value, name, true
	}
	return fallback, name, hasFallback
}

// referenceLength returns the length of $NAME or ${...} at the front, or 0.
func referenceLength(text string) int {
	if !strings.HasPrefix(text, "$") || bodyLength(text[1:]) == 0 {
		return 0
	}
	return 1 + bodyLength(text[1:])
}

// bodyLength returns the length of NAME or {...} at the front, or 0.
func bodyLength(text string) int {
	if strings.HasPrefix(text, "{") {
		if end := strings.IndexByte(text, '}'); end > 1 {
			return end + 1
		}
		return 0
	}
	n := 0
	for n < len(text) && isNameByte(text[n], n) {
		n++
	}
	return n
}

func isNameByte(c byte, i int) bool {
	return c == '_' || 'A' <= c && c <= 'Z' || i > 0 && '0' <= c && c <= '9'
}

// escape doubles the dollar of every reference.
func escape(text string) string {
	var out strings.Builder
	for text != "" {
		n := referenceLength(text)
		if n > 0 {
			out.WriteByte('$')
		}
		n = max(n, 1)
		out.WriteString(text[:n])
		text = text[n:]
	}
	return out.String()
}

// pair is a member of an object whose order and repetitions are kept.
type pair struct {
	name  string
	value any
}

// naive reads one JSON value; objects become []pair.
func naive(decoder *json.Decoder) any {
	token, err := decoder.Token()
	if err != nil {
		return nil
	}
	switch token {
	case json.Delim('{'):
		object := []pair{}
		for decoder.More() {
			name, _ := naive(decoder).(string)
			object = append(object, pair{name, naive(decoder)})
		}
		_, _ = decoder.Token()
		return object
	case json.Delim('['):
		array := []any{}
		for decoder.More() {
			array = append(array, naive(decoder))
		}
		_, _ = decoder.Token()
		return array
	}
	return token
}

// member returns the first member of an object, and whether there are more.
func firstMember(object any, name string) (value any, repeated bool) {
	pairs, _ := object.([]pair)
	found := false
	for _, p := range pairs {
		if p.name == name && found {
			return value, true
		}
		if p.name == name {
			value, found = p.value, true
		}
	}
	return value, false
}

func hasRepeatedName(object any, names ...string) bool {
	pairs, _ := object.([]pair)
	return slices.ContainsFunc(pairs, func(p pair) bool {
		_, repeated := firstMember(object, p.name)
		return repeated && (len(names) == 0 || slices.Contains(names, p.name))
	})
}
