package lean

import (
	"strconv"
	"strings"

	"mcp-aggregator/modules/wire"
)

// Limits of a signature, in bytes. Required parameters are all listed, unless a hostile
// schema has an absurd number of them.
const (
	softSignature = 120  // optional parameters are listed up to this size
	fullTypes     = 400  // beyond it, required ones have no types
	hardSignature = 2000 // beyond it, required ones are only counted
	maxParameter  = 64   // one name
)

// maxSchema is the size in bytes up to which a search reads a schema. Real schemas are
// smaller.
const maxSchema = 256 << 10

// Signature returns the parameters of a tool on one line, such as
//
//	(owner*: string, repo*: string, state: "open"|"closed" = "open", +3)
//
// where * marks required parameters and +3 counts optional ones that are omitted. It is a
// hint for models; describe_tools has the details. Nested objects appear as {…} and unknown
// types as any. The signature of a schema larger than 256 KiB is (…).
func Signature(inputSchema []byte) string {
	if len(inputSchema) > maxSchema {
		return "(" + ellipsis + ")"
	}
	refs := &references{root: inputSchema}
	schema := refs.resolve(inputSchema)
	required := requiredBy(schema)
	s := signature{types: typeWriter{refs: refs, left: maxTypes}}
	properties := wire.Member(schema, "properties").Of(schema)
	for rawName, span := range wire.Members(properties) {
		name, _ := wire.Unquote(rawName)
		if required[name] {
			delete(required, name)
			s.addRequired(name, span.Of(properties))
			continue
		}
		s.optional = append(s.optional, parameter{name, span.Of(properties)})
	}
	list := wire.Member(schema, "required").Of(schema)
	for span := range wire.Elements(list) { // those not in "properties"
		if name, _ := wire.Unquote(span.Of(list)); required[name] {
			delete(required, name)
			s.addRequired(name, nil)
		}
	}
	return s.String()
}

// parameter is a property of an input schema.
type parameter struct {
	name   string
	schema []byte
}

// signature collects parameters.
type signature struct {
	types    typeWriter
	parts    []string
	size     int
	omitted  int // number of required parameters left out
	optional []parameter
}

func (s *signature) addRequired(name string, schema []byte) {
	text := shownName(name) + "*"
	if s.size < fullTypes {
		text += ": " + s.types.typeText(schema, true)
	}
	if s.size+len(text) > hardSignature {
		s.omitted++
		return
	}
	s.add(text)
}

func (s *signature) add(text string) {
	s.parts = append(s.parts, text)
	s.size += len(text) + len(", ")
}

// String appends the optional parameters in order and returns the signature.
func (s *signature) String() string {
	if s.omitted > 0 {
		s.add("+" + strconv.Itoa(s.omitted) + "*")
	}
	for i, p := range s.optional {
		text := ""
		if s.size < softSignature {
			text = shownName(p.name) + ": " + s.types.typeText(p.schema, false) + s.types.defaultOf(p.schema)
		}
		if text == "" || s.size+len(text) > softSignature {
			s.add("+" + strconv.Itoa(len(s.optional)-i))
			break
		}
		s.add(text)
	}
	return "(" + strings.Join(s.parts, ", ") + ")"
}

// shownName returns a parameter's name, quoted unless it is a plain word.
func shownName(name string) string {
	plain := name != "" && len(name) <= maxParameter
	for i := range len(name) {
		c := name[i]
		plain = plain && (c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.' || c == '$')
	}
	if plain {
		return name
	}
	return string(wire.AppendQuoted(nil, cut(oneLine(name), maxParameter)))
}
