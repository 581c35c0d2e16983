package lean

import (
	"strconv"
	"strings"

	"mcp-aggregator/modules/wire"
)

// Bounds of a signature, in bytes. Parameters that are required are never left out, until
// there are so many that nobody could mean it.
const (
	softSignature = 120  // optional parameters are shown up to here
	fullTypes     = 400  // behind that, required ones have no types
	hardSignature = 2000 // behind that, they are counted
	maxParameter  = 64   // one name
)

// maxSchema is how long a schema may be, in bytes, that a search still reads: none that
// somebody means is as long.
const maxSchema = 256 << 10

// Signature returns the parameters of a tool on one line, such as
//
//	(owner*: string, repo*: string, state: "open"|"closed" = "open", +3)
//
// where * marks those that are required and +3 counts optional ones that are not shown. It
// is a hint for models, which describe_tools completes: what is nested is {…}, and what
// cannot be told of a schema is any. Of a schema of more than 256 KiB it is (…).
func Signature(inputSchema []byte) string {
	if len(inputSchema) > maxSchema {
		return "(" + ellipsis + ")"
	}
	refs := &references{root: inputSchema}
	schema := refs.resolve(inputSchema)
	required := requiredBy(schema)
	s := signature{types: typer{refs: refs, left: maxTypes}}
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
	for span := range wire.Elements(list) { // those that the schema does not describe
		if name, _ := wire.Unquote(span.Of(list)); required[name] {
			delete(required, name)
			s.addRequired(name, nil)
		}
	}
	return s.String()
}

// parameter is one property of an input schema.
type parameter struct {
	name   string
	schema []byte
}

// signature gathers parameters.
type signature struct {
	types    typer
	parts    []string
	size     int
	omitted  int // required ones
	optional []parameter
}

func (s *signature) addRequired(name string, schema []byte) {
	text := shownName(name) + "*"
	if s.size < fullTypes {
		text += ": " + s.types.text(schema, true)
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

// String adds the optional parameters, in their order.
func (s *signature) String() string {
	if s.omitted > 0 {
		s.add("+" + strconv.Itoa(s.omitted) + "*")
	}
	for i, p := range s.optional {
		text := ""
		if s.size < softSignature {
			text = shownName(p.name) + ": " + s.types.text(p.schema, false) + s.types.defaultOf(p.schema)
		}
		if text == "" || s.size+len(text) > softSignature {
			s.add("+" + strconv.Itoa(len(s.optional)-i))
			break
		}
		s.add(text)
	}
	return "(" + strings.Join(s.parts, ", ") + ")"
}

// shownName is a parameter's name, quoted unless it is a word.
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
