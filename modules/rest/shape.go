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

// detailMissing is all that shape can say of a member that is not there.
const detailMissing = "is missing"

// maxFaults bounds what is told of one body.
const maxFaults = 1000

// bodyShape holds a body against the schema that the document shows of it: one
// description for both. It judges the types, the names and the number of members;
// what they mean is judged by package servers.
type bodyShape struct {
	schemas huma.Registry
	body    []byte
	faults  []faultBody
	places  map[string]wire.Span // of every value that the schema knows, by pointer
}

// checkShape checks a valid JSON text.
func checkShape(schemas huma.Registry, body []byte, schema *huma.Schema) *bodyShape {
	s := &bodyShape{schemas: schemas, body: body, places: map[string]wire.Span{}}
	s.checkValue("", wire.Span{End: len(body)}, schema)
	return s
}

func (s *bodyShape) addFault(pointer, detail string) {
	s.faults = append(s.faults, faultBody{Pointer: &pointer, Detail: detail})
}

func (s *bodyShape) checkValue(pointer string, at wire.Span, schema *huma.Schema) {
	if schema.Ref != "" {
		schema = s.schemas.SchemaFromRef(schema.Ref)
	}
	s.places[pointer] = at
	raw := at.Of(s.body)
	switch found := jsonType(raw); {
	case found == "null":
		s.addFault(pointer, "is null: leave it out, or make it "+withArticle(schema.Type))
	case schema.Type != found:
		s.addFault(pointer, "is "+withArticle(found)+": make it "+withArticle(schema.Type))
	case found == "object":
		s.checkObject(pointer, at, schema)
	case found == "array":
		s.checkArray(pointer, at, schema)
	}
}

func (s *bodyShape) checkArray(pointer string, at wire.Span, schema *huma.Schema) {
	i := 0
	for element := range wire.Elements(at.Of(s.body)) {
		s.checkValue(pointer+"/"+strconv.Itoa(i), subspan(at, element), schema.Items)
		if i++; len(s.faults) >= maxFaults {
			return
		}
	}
}

func (s *bodyShape) checkObject(pointer string, at wire.Span, schema *huma.Schema) {
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
			s.addFault(child, "is there twice: leave one out")
		case known:
			s.checkValue(child, subspan(at, value), property)
		case typed:
			s.checkValue(child, subspan(at, value), others)
		default:
			s.places[child] = subspan(at, value)
			s.addFault(child, "is unknown: use "+strings.Join(propertyNames(schema), ", "))
		}
		seen[text] = true
		if len(s.faults) >= maxFaults { // the rest is not looked at
			return
		}
	}
	s.checkRequired(pointer, seen, schema)
}

func (s *bodyShape) checkRequired(pointer string, seen map[string]bool, schema *huma.Schema) {
	for _, name := range schema.Required {
		if !seen[name] {
			s.addFault(pointer+"/"+name, detailMissing)
		}
	}
}

// propertyNames returns the names of the members of an object.
func propertyNames(schema *huma.Schema) (names []string) {
	for name := range schema.Properties {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// subspan returns where in the body a part of the value at that place is.
func subspan(at, part wire.Span) wire.Span {
	return wire.Span{Start: at.Start + part.Start, End: at.Start + part.End}
}

// jsonType returns the type of a raw value as JSON Schema calls it.
func jsonType(raw []byte) string {
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

func withArticle(kind string) string {
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

// mergeProblems returns what is wrong with a body in its order: what shape found, and of
// the problems those of members that it has nothing against.
func (s *bodyShape) mergeProblems(problems servers.Problems) []faultBody {
	all := slices.Clone(s.faults)
	for _, fault := range faultsOf(problems) {
		i := slices.IndexFunc(all, func(f faultBody) bool { return *f.Pointer == *fault.Pointer && f.Detail == detailMissing })
		switch {
		case i >= 0:
			all[i] = fault // says more
		case !s.covers(*fault.Pointer):
			all = append(all, fault)
		}
	}
	slices.SortStableFunc(all, func(a, b faultBody) int {
		return cmp.Compare(s.positionOf(*a.Pointer), s.positionOf(*b.Pointer))
	})
	return all
}

// covers reports whether there is a fault at the pointer or around it.
func (s *bodyShape) covers(pointer string) bool {
	return slices.ContainsFunc(s.faults, func(f faultBody) bool {
		return pointer == *f.Pointer || strings.HasPrefix(pointer, *f.Pointer+"/") && !s.isObject(*f.Pointer)
	})
}

// isObject reports whether the value at the pointer is there and has members,
// whatever else is wrong with it.
func (s *bodyShape) isObject(pointer string) bool {
	raw := s.places[pointer].Of(s.body)
	return raw != nil && jsonType(raw) == "object"
}

// positionOf returns where in the body the value at the pointer begins; what is
// missing stands at the end of what it is missing in.
func (s *bodyShape) positionOf(pointer string) int {
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
