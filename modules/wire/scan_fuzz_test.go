package wire_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mcp-aggregator/modules/wire"
	"mcp-aggregator/testutil"
)

// seedLines are lines to mutate, one or more for each rule.
var seedLines = []string{
	``, ` `, `{}`, `[]`, `""`, `0`, `-0`, `1.5e-3`, `2E+10`, `true`, `false`, `null`, `nul`, `01`, `-`,
	`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a_b","arguments":{"n":12345678901234567890}}}`,
	`{"jsonrpc":"2.0","id":"x","result":{"content":[{"type":"text","text":"h\u00e9\ud83d\ude00\ud800"}]}}`,
	`{"id":null,"error":{"code":-32601,"message":"no \"such\" method"}}`,
	` { "\u0069d" : 1 , "id" : 2 , "params" : { "name" : 1 , "n\u0061me" : [ ] } } `,
	`[{"id":1,"method":"a"},{"method":"b"}]`,
	"{\"a\":\"\xff\",\"id\":1}", "\"\xc3\xa9 and more than eight bytes \xed\xa0\x80\"",
	`"a long plain string of more than thirty-two bytes, then \n \" \\ \/ \b \f \r \t and \u12aF"`,
	"\"control \x1f\"", `"\x"`, `"\u12"`, `{"a":[1,{"b":[{},[]]}],"c":{"d":{}}}`, `{"a":1,}`, `[1,]`, `{"a"}`, `[1 2]`,
}

func FuzzScan(f *testing.F) {
	for _, line := range seedLines {
		f.Add([]byte(line))
	}
	for _, input := range testutil.Corpus(f, "FuzzScan") {
		f.Add([]byte(input[0]))
	}
	var s wire.Scanner // one for all: what a line leaves behind must not matter
	f.Fuzz(func(t *testing.T, line []byte) {
		checkAgainstReference(t, &s, line)
	})
}

// anySpace generates white space, mostly none.
func anySpace() *rapid.Generator[string] {
	return rapid.SampledFrom([]string{"", "", "", " ", "\t", "\r\n  "})
}

// anyName generates the inside of a member's name, most often one that routing
// needs, with some of its characters escaped.
func anyName() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		name := rapid.SampledFrom([]string{
			"jsonrpc", "id", "method", "params", "result", "error", "name", "params", "name", "", "x", "names",
		}).Draw(t, "name")
		if rapid.IntRange(0, 3).Draw(t, "escape") > 0 {
			return name
		}
		var escaped strings.Builder
		for _, c := range name {
			if rapid.Bool().Draw(t, "this") {
				const hex = "0123456789abcdef"
				escaped.WriteString(`\u00` + string(hex[c>>4]) + string(hex[c&15]))
			} else {
				escaped.WriteRune(c)
			}
		}
		return escaped.String()
	})
}

// anyValue generates a JSON value, now and then one that is not UTF-8.
func anyValue(depth int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		space := func() string { return anySpace().Draw(t, "space") }
		var items []string
		kind := rapid.IntRange(0, 4).Draw(t, "kind")
		if depth > 0 && kind >= 2 {
			for range rapid.IntRange(0, 5).Draw(t, "len") {
				value := space() + anyValue(depth-1).Draw(t, "value") + space()
				if kind > 2 {
					value = space() + `"` + anyName().Draw(t, "name") + `"` + space() + ":" + value
				}
				items = append(items, value)
			}
			all := strings.Join(items, ",")
			if kind > 2 {
				return "{" + space() + all + "}"
			}
			return "[" + space() + all + "]"
		}
		return rapid.SampledFrom([]string{
			"0", "-12.5e+3", "true", "false", "null", `""`, `"name"`, `"eight by"`, `"\ud800\n"`,
			`"{[\"id\":1]}"`, `"a string that is longer than one word"`, `"é日本語"`, "\"\xff\"",
		}).Draw(t, "scalar")
	})
}

func TestScanAgreesWithTheReferenceOnMessages(t *testing.T) {
	var s wire.Scanner
	rapid.Check(t, func(r *rapid.T) {
		checkAgainstReference(t, &s, []byte(anyValue(4).Draw(r, "line")))
	})
}
