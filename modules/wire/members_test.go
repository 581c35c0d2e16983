package wire_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mcp-aggregator/modules/wire"
)

func TestMembersInOrder(t *testing.T) {
	tests := []struct {
		name, object string
		want         []string // raw name, raw value, ...
	}{
		{"an object without members has none", ` { } `, nil},
		{"one member", `{"a":1}`, []string{`"a"`, "1"}},
		{"names stay raw, duplicates stay", `{"\u0061":1,"a":2}`, []string{`"\u0061"`, "1", `"a"`, "2"}},
		{
			"white space is left out", "\t{ \"a\" :\r\n -1.5e+3 , \"b\" : true } ",
			[]string{`"a"`, "-1.5e+3", `"b"`, "true"},
		},
		{
			"containers are one value", `{"a":{"b":[1,{}]},"c":[[],{"d":2}]}`,
			[]string{`"a"`, `{"b":[1,{}]}`, `"c"`, `[[],{"d":2}]`},
		},
		{
			"delimiters inside strings do not count", `{"a\"}":"]}\\\",","b":[",]"]}`,
			[]string{`"a\"}"`, `"]}\\\","`, `"b"`, `[",]"]`},
		},
		{"an array has no members", `[{"a":1}]`, nil},
		{"a string has no members", `"{}"`, nil},
		{"nothing has no members", ``, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for name, value := range wire.Members([]byte(tt.object)) {
				got = append(got, string(name), string(value.Of([]byte(tt.object))))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s: -want +got\n%s", tt.object, diff)
			}
		})
	}
}

func TestElementsInOrder(t *testing.T) {
	tests := []struct {
		name, array string
		want        []string
	}{
		{"an array without elements has none", " [ ] ", nil},
		{
			"each kind of value", ` [ 1 ,"a,]" , [ 2,[3]],{"b":[]},null,true , -0.1E-2] `,
			[]string{"1", `"a,]"`, "[ 2,[3]]", `{"b":[]}`, "null", "true", "-0.1E-2"},
		},
		{"an object has no elements", `{"a":[1]}`, nil},
		{"a number has no elements", `1`, nil},
		{"nothing has no elements", ``, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for value := range wire.Elements([]byte(tt.array)) {
				got = append(got, string(value.Of([]byte(tt.array))))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s: -want +got\n%s", tt.array, diff)
			}
		})
	}
}

func TestIterationMayStopEarly(t *testing.T) {
	for name := range wire.Members([]byte(`{"a":1,"b":2}`)) {
		if string(name) != `"a"` {
			t.Errorf("went on to %s", name)
		}
		break
	}
	for value := range wire.Elements([]byte(`[1,2]`)) {
		if value.Start != 1 {
			t.Errorf("went on to %v", value)
		}
		break
	}
}

func TestAppendingToANameLeavesTheObjectAlone(t *testing.T) {
	object := []byte(`{"a":1}`)
	for name := range wire.Members(object) {
		_ = append(name, "XXX"...)
	}
	if string(object) != `{"a":1}` {
		t.Errorf("the object became %s", object)
	}
}

func TestMemberByName(t *testing.T) {
	tests := []struct{ name, object, member, want string }{
		{"the member of that name", `{"b":1,"a":2}`, "a", "2"},
		{"the first of two", `{"a":1,"a":2}`, "a", "1"},
		{"an escaped name", `{"\u0061\n":1}`, "a\n", "1"},
		{"an escaped name in front", `{"\u0061":1,"a":2}`, "a", "1"},
		{"a quote in the name", `{"say \"hi\"":1}`, `say "hi"`, "1"},
		{"a raw name is not its own text", `{"a\n":1}`, `a\n`, ""},
		{"the empty name", `{"a":1,"":2}`, "", "2"},
		{"a longer name is another", `{"ab":1}`, "a", ""},
		{"a name further down does not count", `{"b":{"a":1}}`, "a", ""},
		{"no member of that name", `{"b":1}`, "a", ""},
		{"an array has none", `["a",1]`, "a", ""},
		{"a string has none", `"a"`, "a", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := wire.Member([]byte(tt.object), tt.member)
			if text := string(got.Of([]byte(tt.object))); text != tt.want {
				t.Errorf("member %q of %s is %q, want %q", tt.member, tt.object, text, tt.want)
			}
		})
	}
}

func TestIterationOverAnyDepth(t *testing.T) {
	deep := strings.Repeat(`[{"a":`, 1_000_000) + "1" + strings.Repeat("}]", 1_000_000)
	object := []byte(`{"deep":` + deep + `,"last":2}`)
	if got := wire.Member(object, "last").Of(object); string(got) != "2" {
		t.Errorf("last is %q, want 2", got)
	}
	var count int
	for value := range wire.Elements([]byte("[" + deep + "]")) {
		count++
		if value.End-value.Start != len(deep) {
			t.Errorf("element %v, want %d bytes", value, len(deep))
		}
	}
	if count != 1 {
		t.Errorf("%d elements, want 1", count)
	}
}

func TestMemberDoesNotAllocate(t *testing.T) {
	object := []byte(`{"content":[{"text":"x\n"}],"isError":false}`)
	allocs := testing.AllocsPerRun(5, func() {
		if !wire.Member(object, "isError").Present() {
			t.Fatal("isError is absent")
		}
	})
	if allocs != 0 {
		t.Errorf("%v allocations, want 0", allocs)
	}
}

// checkIteration compares the members and elements at the top level of doc with
// encoding/json. If doc is not JSON, it only checks that iteration ends and stays inside.
func checkIteration(t *testing.T, doc []byte) {
	t.Helper()
	var (
		members  []slowMember
		elements []wire.Span
	)
	for raw, value := range wire.Members(doc) {
		name, ok := wire.Unquote(raw)
		if !ok && json.Valid(doc) {
			t.Fatalf("Members(%q) yields the name %q", doc, raw)
		}
		_ = value.Of(doc)
		members = append(members, slowMember{name, value})
	}
	for value := range wire.Elements(doc) {
		_ = value.Of(doc)
		elements = append(elements, value)
	}
	wire.Member(doc, "name")
	if !json.Valid(doc) {
		return
	}
	want := slowMembers(t, doc)
	if diff := cmp.Diff(want, members, cmp.AllowUnexported(slowMember{})); diff != "" {
		t.Fatalf("Members(%q): -want +got\n%s", doc, diff)
	}
	if diff := cmp.Diff(slowElements(t, doc), elements); diff != "" {
		t.Fatalf("Elements(%q): -want +got\n%s", doc, diff)
	}
	for _, member := range want {
		checkMember(t, doc, want, member.name)
	}
}

// checkMember compares Member with the first of all members with that name. A name that
// is not UTF-8 is not compared, because encoding/json has replaced its bytes.
func checkMember(t *testing.T, doc []byte, all []slowMember, name string) {
	t.Helper()
	if strings.ContainsRune(name, '\ufffd') {
		return
	}
	first := slices.IndexFunc(all, func(m slowMember) bool { return m.name == name })
	if got := wire.Member(doc, name); got != all[first].value {
		t.Fatalf("Member(%q, %q) is %v, want %v", doc, name, got, all[first].value)
	}
}

func TestIterationOverInvalidJSONStaysInside(t *testing.T) {
	for _, doc := range []string{
		`{`, `[`, `{"`, `{"a`, `{"a"`, `{"a":`, `{"a":"`, `{"a":"x\`, `{"a":[`, `{"a" `, `{"a":1,`, `[1`, `[1,`,
		`["`, `[{]`, `[}`, `{"a":]`, `{"\`, `{"\x":1}`, `[,,,`, `{,`, `{"a":}`, "[\"\n\"]",
	} {
		checkIteration(t, []byte(doc))
	}
}

func FuzzIteration(f *testing.F) {
	for _, line := range seedLines {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, doc []byte) { checkIteration(t, doc) })
}

func TestIterationAgreesWithTheReference(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		checkIteration(t, []byte(anyValue(4).Draw(r, "doc")))
	})
}
