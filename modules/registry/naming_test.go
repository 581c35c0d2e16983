package registry_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"mcp-aggregator/modules/registry"
)

func TestADefinitionKeepsEveryByteButThePrefixInItsName(t *testing.T) {
	tests := []struct{ name, definition, want, public, tool string }{
		{"the least", `{"name":"t"}`, `{"name":"k:t"}`, `k:t`, `"t"`},
		{
			"everything that is known", `{"name":"t","title":"T","description":"d","inputSchema":{"type":"object"},"outputSchema":{},"annotations":{"readOnlyHint":true},"icons":[],"execution":{"taskSupport":"optional"},"_meta":{"a":1}}`,
			`{"name":"k:t","title":"T","description":"d","inputSchema":{"type":"object"},"outputSchema":{},"annotations":{"readOnlyHint":true},"icons":[],"execution":{"taskSupport":"optional"},"_meta":{"a":1}}`, `k:t`, `"t"`,
		},
		{"unknown members", `{"x":null,"name":"t","y":[{}]}`, `{"x":null,"name":"k:t","y":[{}]}`, `k:t`, `"t"`},
		{"members out of order, some twice", `{"z":1,"a":2,"z":3,"name":"t","B":4}`, `{"z":1,"a":2,"z":3,"name":"k:t","B":4}`, `k:t`, `"t"`},
		{"numbers", `{"a":1e400,"b":9007199254740993,"c":1.50,"d":-0,"name":"t"}`, `{"a":1e400,"b":9007199254740993,"c":1.50,"d":-0,"name":"k:t"}`, `k:t`, `"t"`},
		{"names of others", `{"inputSchema":{"name":"a","properties":{"name":{"name":"b"}}},"name":"t","_meta":[{"name":"c"},"name"]}`, `{"inputSchema":{"name":"a","properties":{"name":{"name":"b"}}},"name":"k:t","_meta":[{"name":"c"},"name"]}`, `k:t`, `"t"`},
		{"names that are spelled otherwise", `{"Name":"a","names":"b","nam":"c","name":"t"}`, `{"Name":"a","names":"b","nam":"c","name":"k:t"}`, `k:t`, `"t"`},
		{"white space", "{ \"a\" :\t1 , \"name\"\r: \"t\" } ", "{ \"a\" :\t1 , \"name\"\r: \"k:t\" } ", `k:t`, `"t"`},
		{"escapes in the name", `{"name":"\u0074\/\"\n\ud83d\ude00<>&"}`, `{"name":"k:\u0074\/\"\n\ud83d\ude00<>&"}`, "k:t/\"\n\U0001F600<>&", `"\u0074\/\"\n\ud83d\ude00<>&"`},
		{"half a character in the name", `{"name":"\ude00"}`, `{"name":"k:\ude00"}`, "k:\uFFFD", `"\ude00"`},
		{"escapes in the member's name", `{"n\u0061me":"t"}`, `{"n\u0061me":"k:t"}`, `k:t`, `"t"`},
		{"escapes elsewhere", `{"description":"\u003c\/\ud800","name":"t"}`, `{"description":"\u003c\/\ud800","name":"k:t"}`, `k:t`, `"t"`},
		{"the separator in the name", `{"name":":a::k:b:"}`, `{"name":"k::a::k:b:"}`, `k::a::k:b:`, `":a::k:b:"`},
		{"a deep one", `{"a":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `,"name":"t"}`, `{"a":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `,"name":"k:t"}`, `k:t`, `"t"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := newRegistry(":", "k")
			definition := []byte(test.definition)
			if n := r.ReplaceTools("k", [][]byte{definition}); n != 1 || string(definition) != test.definition {
				t.Fatalf("%d tools of %s", n, definition)
			}
			clear(definition) // the registry must have copied it
			e := lookup(t, r.Snapshot(), test.public)
			if string(e.Definition) != test.want || e.Server != "k" || string(e.RawName) != test.tool {
				t.Errorf("%s of %s: %s\nwant\n%s", e.RawName, e.Server, e.Definition, test.want)
			}
		})
	}
}

func TestAKeyAndASeparatorMayBeAnyText(t *testing.T) {
	tests := []struct{ name, key, separator, want, public string }{
		{"usual", "a", ":", `"a:t"`, "a:t"},
		{"a longer separator", "a", "__", `"a__t"`, "a__t"},
		{"no separator", "a", "", `"at"`, "at"},
		{"the key has the separator", "a:b", ":", `"a:b:t"`, "a:b:t"},
		{"what JSON escapes", "a\"\\\n", "\t", `"a\"\\\n\tt"`, "a\"\\\n\tt"},
		{"what JSON does not escape", "é<&> /😀", "→", `"é<&> /😀→t"`, "é<&> /😀→t"},
		{"what is no UTF-8 is what a client can ask for", "\xff", "\xfe", "\"\uFFFD\uFFFDt\"", "\uFFFD\uFFFDt"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := newRegistry(test.separator, test.key)
			r.ReplaceTools(test.key, definitionsNamed(`"t"`))
			e := lookup(t, r.Snapshot(), test.public)
			if want := `{"name":` + test.want + `}`; string(e.Definition) != want || e.Server != test.key {
				t.Errorf("%s of %q, want %s", e.Definition, e.Server, want)
			}
		})
	}
}

// member is the position of a member's value in its object.
type member struct{ start, end int }

// namesOf finds the members "name" of a definition with encoding/json. It reports false
// if the definition is not an object.
func namesOf(t tb, definition []byte) (names []member, ok bool) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(definition))
	if token, err := d.Token(); err != nil || token != json.Delim('{') {
		return nil, false
	}
	for d.More() {
		key, err := d.Token()
		var value json.RawMessage
		if err == nil {
			err = d.Decode(&value)
		}
		if err != nil {
			t.Fatalf("%s: %v", definition, err)
		}
		if end := int(d.InputOffset()); key == "name" {
			names = append(names, member{end - len(value), end})
		}
	}
	return names, true
}

// decodeName decodes a raw JSON string like a client.
func decodeName(raw []byte) (text string, ok bool) {
	ok = len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &text) == nil
	return text, ok
}

// checkPublished sets one valid definition and checks what is listed.
func checkPublished(t tb, key, separator string, definition []byte) {
	t.Helper()
	r := newRegistry(separator, key)
	n := r.ReplaceTools(key, [][]byte{definition})
	list := r.Snapshot().View(plain).ToolsJSON()
	if !json.Valid(list) {
		t.Fatalf("the list is no JSON: %s", list)
	}
	names, _ := namesOf(t, definition)
	var tool string
	if len(names) == 1 {
		tool, _ = decodeName(definition[names[0].start:names[0].end])
	}
	if tool == "" { // no object, no name, two names, no string
		if n != 0 || string(list) != "[]" {
			t.Fatalf("%d tools, %s of %s", n, list, definition)
		}
		return
	}
	name := names[0]
	prefix, err := json.Marshal(strings.ToValidUTF8(key+separator, "")) // another way to escape
	if err != nil {
		t.Fatalf("%v", err)
	}
	checkSplit(t, list, definition[:name.start+1], string(prefix), definition[name.start+1:])

	entry := r.Snapshot().Entries()[0]
	public, ok := decodeName(list[1+name.start : len(list)-1-len(definition)+name.end])
	if found := lookup(t, r.Snapshot(), public); !ok || n != 1 || found != entry ||
		entry.Server != key || !bytes.Equal(entry.RawName, definition[name.start:name.end]) {
		t.Fatalf("%q leads to %s of %q", public, entry.RawName, entry.Server)
	}
}

// checkSplit checks that list holds one tool: before, the text of prefix, and after.
func checkSplit(t tb, list, before []byte, prefix string, after []byte) {
	t.Helper()
	rest, starts := bytes.CutPrefix(list, append([]byte("["), before...))
	middle, ends := bytes.CutSuffix(rest, append(bytes.Clone(after), ']'))
	got, isText := decodeName([]byte(`"` + string(middle) + `"`))
	want, _ := decodeName([]byte(prefix))
	if !starts || !ends || !isText || strings.ReplaceAll(got, "\uFFFD", "") != strings.ReplaceAll(want, "\uFFFD", "") {
		t.Fatalf("%s\nis not %s + %s + %s", list, before, prefix, after)
	}
}

// drawDefinition draws an object with several members "name".
func drawDefinition(t *rapid.T) []byte {
	gap := rapid.SampledFrom([]string{"", "", " ", "\t"})
	value := rapid.SampledFrom([]string{`"t"`, `"t"`, `"\u0074"`, `""`, `"\ud800"`, `1e400`, `{"name":"a"}`, `["name","b"]`, `null`, `"name"`, `"a:b\"c"`})
	key := rapid.SampledFrom([]string{`"name"`, `"n\u0061me"`, `"Name"`, `"x"`, `"inputSchema"`, `""`, `"x"`})
	var object strings.Builder
	for i := range rapid.IntRange(0, 4).Draw(t, "members") {
		if i > 0 {
			object.WriteString("," + gap.Draw(t, "gap"))
		}
		object.WriteString(key.Draw(t, "key") + gap.Draw(t, "gap") + ":" + gap.Draw(t, "gap") + value.Draw(t, "value") + gap.Draw(t, "gap"))
	}
	return []byte("{" + gap.Draw(t, "gap") + object.String() + "}")
}

func TestOnlyTheNameOfADefinitionDiffers(t *testing.T) {
	text := rapid.StringMatching(`[a:"\\\n\x00é]{0,4}`)
	rapid.Check(t, func(t *rapid.T) {
		checkPublished(t, text.Draw(t, "key"), text.Draw(t, "separator"), drawDefinition(t))
	})
}

func FuzzSet(f *testing.F) {
	for _, definition := range []string{`{"name":"t"}`, `{"a":{"name":1},"n\u0061me" : "\ud83d\ude00" }`, `{"name":"a","name":"b"}`, `[1]`, `{"name":1e400}`} {
		f.Add("k", ":", []byte(definition))
	}
	f.Fuzz(func(t *testing.T, key, separator string, definition []byte) {
		definition = bytes.TrimLeft(definition, " \t\r\n") // elements have no leading white space
		if json.Valid(definition) && utf8.Valid(definition) {
			checkPublished(t, key, separator, definition)
		}
	})
}

func TestDottedNamesHaveAliases(t *testing.T) {
	r := newRegistry("auto.", "a", "b")
	r.ReplaceTools("a", definitionsNamed(`"t"`, `"x.y"`))
	r.ReplaceTools("b", definitionsNamed(`"t"`))
	for client, want := range map[string]string{
		"":                      "a.t a.x.y b.t",
		"claude-ai":             "a__t a__x_y b__t",
		"gemini-cli-mcp-client": "a__t a__x.y b__t",
	} {
		naming := registry.Dotted.NamingFor(client)
		view := r.Snapshot().View(naming)
		if got := strings.Join(view.Names(), " "); got != want && client != "gemini-cli-mcp-client" {
			t.Errorf("%s: %s", client, got)
		}
		for _, name := range append(view.Names(), "a.t", "a.x.y", "b.t") {
			if e, ok := view.Lookup([]byte(name)); !ok || !naming.MayOwn(e.Server, name) {
				t.Errorf("%s: %s is not found", client, name)
			}
		}
		if _, ok := view.Lookup([]byte("a:t")); ok {
			t.Errorf("%s: it is found by a colon", client)
		}
	}
}

func TestAFilteredNamingOwnsOnlyWhatItMayShow(t *testing.T) {
	filter := registry.Filter{Servers: []string{"a", "b"}, Deny: []string{"b.*", "a.delete_*"}}
	for name, want := range map[string]string{
		"a.x": "a", "a.delete_x": "", "b.x": "", "c.x": "", "a__x": "", "x": "",
	} {
		if got := owners(registry.Dotted.NamingFor("").WithFilter(filter), name); got != want {
			t.Errorf("%s is of %q, want %q", name, got, want)
		}
	}
	for name, want := range map[string]string{
		"a__x": "a", "a.x": "a", "a__delete_x": "", "b__x": "", "c__x": "", "c.x": "",
	} {
		if got := owners(registry.Dotted.NamingFor("claude-ai").WithFilter(filter), name); got != want {
			t.Errorf("as an alias, %s is of %q, want %q", name, got, want)
		}
	}
	if got := owners(registry.Dotted.NamingFor("claude-ai"), "c__x"); got != "c" {
		t.Errorf("without a filter, c__x is of %q", got)
	}
}

// owners returns which of three servers may own a name.
func owners(n *registry.Naming, name string) (all string) {
	for _, key := range []string{"a", "b", "c"} {
		if n.MayOwn(key, name) {
			all += key
		}
	}
	return all
}
