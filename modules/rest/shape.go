package rest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"mcp-aggregator/modules/servers"
	"mcp-aggregator/modules/wire"
)

// detailMissing is the detail of a required member that is absent.
const detailMissing = "is missing"

// maxFaults bounds the number of errors reported for one body.
const maxFaults = 1000

// bodyShape checks a body against its schema in the document, so that one description
// serves both. It checks types, names and the presence of members. Package servers checks
// the values.
type bodyShape struct {
	schemas huma.Registry
	body    []byte
	faults  []faultBody
	places  map[string]wire.Span // the spans of all values in the schema, by pointer
}

// checkShape checks a valid JSON text against a schema.
func checkShape(schemas huma.Registry, body []byte, schema *huma.Schema) *bodyShape {
	s := &bodyShape{schemas: schemas, body: body, places: map[string]wire.Span{}}
	s.checkValue("", wire.Span{End: len(body)}, schema)
	return s
}

// decodeMembers decodes a body without its members of a wrong type, which the shape
// reports. It reports whether the body could be decoded otherwise.
func decodeMembers(body []byte, value any) bool {
	err := json.Unmarshal(body, value)
	_, wrongType := err.(*json.UnmarshalTypeError) //nolint:errorlint // encoding/json wraps nothing
	return err == nil || wrongType
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
	case schema.Type == "integer" && found == "number" && !bytes.ContainsAny(raw, ".eE"):
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
		return // any object is valid
	}
	seen := map[string]bool{}
	for name, value := range wire.Members(at.Of(s.body)) {
		text, _ := wire.Unquote(name)
		child := pointer + "/" + escapePointer(text)
		property, known := schema.Properties[text]
		switch {
		case seen[text]:
			s.addFault(child, "appears twice: leave one out")
		case known:
			s.checkValue(child, subspan(at, value), property)
		case typed:
			s.checkValue(child, subspan(at, value), others)
		default:
			s.places[child] = subspan(at, value)
			s.addFault(child, "is unknown: use "+strings.Join(propertyNames(schema), ", "))
		}
		seen[text] = true
		if len(s.faults) >= maxFaults { // the rest is not checked
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

// propertyNames returns the sorted names of an object's members.
func propertyNames(schema *huma.Schema) (names []string) {
	for name := range schema.Properties {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// subspan returns the span in the body of a part of the value at a place.
func subspan(at, part wire.Span) wire.Span {
	return wire.Span{Start: at.Start + part.Start, End: at.Start + part.End}
}

// jsonType returns the JSON Schema type of a raw value.
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
	if kind == "object" || kind == "array" || kind == "integer" {
		return "an " + kind
	}
	return "a " + kind
}

// escapePointer escapes one part of a JSON pointer (RFC 6901, section 3).
func escapePointer(part string) string {
	return strings.ReplaceAll(strings.ReplaceAll(part, "~", "~0"), "/", "~1")
}

// mergeProblems returns all errors of a body in the order of its members: those of its
// shape, and those problems whose members have the right shape.
func (s *bodyShape) mergeProblems(problems servers.Problems) []faultBody {
	all := slices.Clone(s.faults)
	for _, fault := range faultsOf(problems) {
		i := slices.IndexFunc(all, func(f faultBody) bool { return *f.Pointer == *fault.Pointer && f.Detail == detailMissing })
		switch {
		case i >= 0:
			all[i] = fault // it has more detail
		case !s.covers(*fault.Pointer):
			all = append(all, fault)
		}
	}
	slices.SortStableFunc(all, func(a, b faultBody) int {
		return cmp.Compare(s.positionOf(*a.Pointer), s.positionOf(*b.Pointer))
	})
	return all
}

// covers reports whether there is an error at the pointer or at a value that contains it.
func (s *bodyShape) covers(pointer string) bool {
	return slices.ContainsFunc(s.faults, func(f faultBody) bool {
		return pointer == *f.Pointer || strings.HasPrefix(pointer, *f.Pointer+"/") && !s.isObject(*f.Pointer)
	})
}

// isObject reports whether the value at the pointer is an object.
func (s *bodyShape) isObject(pointer string) bool {
	raw := s.places[pointer].Of(s.body)
	return raw != nil && jsonType(raw) == "object"
}

// positionOf returns the offset in the body of the value at the pointer. A missing member
// is at the end of its parent.
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
