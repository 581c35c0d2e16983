package rest

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"mcp-aggregator/modules/servers"
	"mcp-aggregator/modules/wire"
)

// missing is all that shape can say of a member that is not there.
const missing = "is missing"

// mostFaults bounds what is told of one body.
const mostFaults = 1000

// shape holds a body against the schema that the document shows of it: one
// description for both. It judges the types, the names and the number of members;
// what they mean is judged by package servers.
type shape struct {
	schemas huma.Registry
	body    []byte
	faults  []faultBody
	places  map[string]wire.Span // of every value that the schema knows, by pointer
}

// shapeOf checks a valid JSON text.
func shapeOf(schemas huma.Registry, body []byte, schema *huma.Schema) *shape {
	s := &shape{schemas: schemas, body: body, places: map[string]wire.Span{}}
	s.value("", wire.Span{End: len(body)}, schema)
	return s
}

func (s *shape) fault(pointer, detail string) {
	s.faults = append(s.faults, faultBody{Pointer: &pointer, Detail: detail})
}

func (s *shape) value(pointer string, at wire.Span, schema *huma.Schema) {
	if schema.Ref != "" {
		schema = s.schemas.SchemaFromRef(schema.Ref)
	}
	s.places[pointer] = at
	raw := at.Of(s.body)
	switch found := typeOf(raw); {
	case found == "null":
		s.fault(pointer, "is null: leave it out, or make it "+article(schema.Type))
	case schema.Type != found:
		s.fault(pointer, "is "+article(found)+": make it "+article(schema.Type))
	case found == "object":
		s.object(pointer, at, schema)
	case found == "array":
		s.array(pointer, at, schema)
	}
}

func (s *shape) array(pointer string, at wire.Span, schema *huma.Schema) {
	i := 0
	for element := range wire.Elements(at.Of(s.body)) {
		s.value(pointer+"/"+strconv.Itoa(i), within(at, element), schema.Items)
		if i++; len(s.faults) >= mostFaults {
			return
		}
	}
}

func (s *shape) object(pointer string, at wire.Span, schema *huma.Schema) {
	others, typed := schema.AdditionalProperties.(*huma.Schema)
	if schema.Properties == nil && !typed {
		return // any object is fine
	}
	seen := map[string]bool{}
	for name, value := range wire.Members(at.Of(s.body)) {
		text, _ := wire.Unquote(name)
		child := pointer + "/" + escapePointer(text)
		property, known := schema.Properties[text]
		switch {
		case seen[text]:
			s.fault(child, "is there twice: leave one out")
		case known:
			s.value(child, within(at, value), property)
		case typed:
			s.value(child, within(at, value), others)
		default:
			s.places[child] = within(at, value)
			s.fault(child, "is unknown: use "+strings.Join(names(schema), ", "))
		}
		seen[text] = true
		if len(s.faults) >= mostFaults { // the rest is not looked at
			return
		}
	}
	s.required(pointer, seen, schema)
}

func (s *shape) required(pointer string, seen map[string]bool, schema *huma.Schema) {
	for _, name := range schema.Required {
		if !seen[name] {
			s.fault(pointer+"/"+name, missing)
		}
	}
}

// names returns the names of the members of an object.
func names(schema *huma.Schema) (names []string) {
	for name := range schema.Properties {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// within returns where in the body a part of the value at that place is.
func within(at, part wire.Span) wire.Span {
	return wire.Span{Start: at.Start + part.Start, End: at.Start + part.End}
}

// typeOf returns the type of a raw value as JSON Schema calls it.
func typeOf(raw []byte) string {
	switch raw[0] {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	default:
		return "number"
	}
}

func article(kind string) string {
	if kind == "object" || kind == "array" {
		return "an " + kind
	}
	return "a " + kind
}

// escapePointer escapes one part of a JSON pointer (RFC 6901, section 3). Few parts
// have what is escaped.
func escapePointer(part string) string {
	return strings.ReplaceAll(strings.ReplaceAll(part, "~", "~0"), "/", "~1")
}

// all returns what is wrong with a body in its order: what shape found, and of
// the problems those of members that it has nothing against.
func (s *shape) all(problems servers.Problems) []faultBody {
	all := slices.Clone(s.faults)
	for _, fault := range faultsOf(problems) {
		i := slices.IndexFunc(all, func(f faultBody) bool { return *f.Pointer == *fault.Pointer && f.Detail == missing })
		switch {
		case i >= 0:
			all[i] = fault // says more
		case !s.blames(*fault.Pointer):
			all = append(all, fault)
		}
	}
	slices.SortStableFunc(all, func(a, b faultBody) int {
		return cmp.Compare(s.position(*a.Pointer), s.position(*b.Pointer))
	})
	return all
}

// blames reports whether there is a fault at the pointer or around it.
func (s *shape) blames(pointer string) bool {
	return slices.ContainsFunc(s.faults, func(f faultBody) bool {
		return pointer == *f.Pointer || strings.HasPrefix(pointer, *f.Pointer+"/") && !s.isObject(*f.Pointer)
	})
}

// isObject reports whether the value at the pointer is there and has members,
// whatever else is wrong with it.
func (s *shape) isObject(pointer string) bool {
	raw := s.places[pointer].Of(s.body)
	return raw != nil && typeOf(raw) == "object"
}

// position returns where in the body the value at the pointer begins; what is
// missing stands at the end of what it is missing in.
func (s *shape) position(pointer string) int {
	if at, found := s.places[pointer]; found {
		return at.Start
	}
	for {
		end := strings.LastIndexByte(pointer, '/')
		if end < 0 {
			return len(s.body)
		}
		pointer = pointer[:end]
		if at, found := s.places[pointer]; found {
			return at.End
		}
	}
}
