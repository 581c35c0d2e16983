package lean

import (
	"strings"

	"mcp-aggregator/modules/wire"
)

// rightForm shows the shape of a valid call of call_tool.
const rightForm = `Call it like this: {"name": "server.tool", "arguments": {"parameter": "value"}}`

// toolCall is the call that the arguments of call_tool describe.
type toolCall struct {
	rawName   []byte
	name      string
	arguments []byte // nil when there are none
	extra     []pair // members other than name and arguments
}

// pair is one member of an object, both parts raw.
type pair struct{ name, value []byte }

// readCall parses the arguments of call_tool. A non-empty problem is written for the model.
func readCall(arguments []byte) (call toolCall, problem string) {
	if !isObject(arguments) {
		return call, "call_tool needs a name. " + rightForm
	}
	for raw, span := range wire.Members(arguments) {
		value := span.Of(arguments)
		switch name, _ := wire.Unquote(raw); name {
		case "name":
			if call.rawName != nil {
				return call, "name" + occursTwice
			}
			call.rawName = value
		case "arguments":
			if call.arguments != nil {
				return call, "arguments" + occursTwice
			}
			call.arguments = value
		default:
			call.extra = append(call.extra, pair{raw, value})
		}
	}
	call.name, _ = wire.Unquote(call.rawName)
	if call.name == "" {
		return call, "call_tool needs a name, a string returned by search_tools. " + rightForm
	}
	return call, ""
}

// resolveArguments returns the arguments to pass to the tool. They stay as sent unless they
// cannot be valid and the tool's schema leaves only one reading. The notes describe what
// was changed; a non-empty problem is written for the model.
func (c *toolCall) resolveArguments(tool Tool) (arguments []byte, notes []string, problem string) {
	arguments = c.arguments
	if text, ok := wire.Unquote(arguments); ok {
		object := objectIn(text)
		switch {
		case object != nil:
			arguments = object
			notes = append(notes, "arguments was a JSON string; it was parsed as an object")
		case strings.TrimSpace(text) == "":
			arguments = nil
			notes = append(notes, "arguments was an empty string; it was treated as an empty object")
		}
	}
	if string(arguments) == "null" {
		arguments = nil
	}
	if arguments != nil && !isObject(arguments) {
		return nil, nil, "call_tool: arguments must be an object. " + rightForm
	}
	declared := propertiesOf(tool)
	if len(c.extra) > 0 {
		if !emptyObject(arguments) || !declared.closed() || !declared.hasAll(c.extra) || declared.names["name"] || declared.names["arguments"] {
			return nil, nil, "call_tool: " + memberNames(c.extra) + " must be inside arguments, if the tool has such parameters. " + rightForm
		}
		return objectOf(c.extra), append(notes, "the parameters were next to name; they were moved into arguments"), ""
	}
	if inner := declared.nested(arguments, c.name); inner != nil {
		return inner, append(notes, "arguments was nested in arguments; the inner object was used"), ""
	}
	if arguments == nil {
		arguments = []byte("{}")
	}
	return arguments, notes, ""
}

// parameterSet is the set of parameters that a tool declares.
type parameterSet struct {
	names map[string]bool // nil if the schema may allow others
}

// openKeywords are the keywords that can allow parameters not named in "properties".
var openKeywords = []string{
	"$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "not", "patternProperties", "dependentSchemas",
	"unevaluatedProperties", "propertyNames",
}

func propertiesOf(tool Tool) (d parameterSet) {
	schema := tool.inputSchema()
	properties := wire.Member(schema, "properties").Of(schema)
	if !isObject(properties) {
		return d
	}
	for _, keyword := range openKeywords {
		if wire.Member(schema, keyword).Present() {
			return d
		}
	}
	if more := wire.Member(schema, "additionalProperties").Of(schema); more != nil && string(more) != "false" {
		return d
	}
	d.names = requiredBy(schema)
	for raw := range wire.Members(properties) {
		name, _ := wire.Unquote(raw)
		d.names[name] = true
	}
	return d
}

// closed reports whether the tool accepts only the declared parameters.
func (d parameterSet) closed() bool { return d.names != nil }

func (d parameterSet) hasAll(members []pair) bool {
	for _, m := range members {
		if name, _ := wire.Unquote(m.name); !d.names[name] {
			return false
		}
	}
	return true
}

// nested returns the object inside arguments that was probably meant instead of them: the
// value of a single member "arguments", alone or next to the tool's own name. It requires
// that the tool has no such parameters but has all of the nested ones, and returns nil if
// in doubt.
func (d parameterSet) nested(arguments []byte, tool string) (inner []byte) {
	if !d.closed() || d.names["arguments"] {
		return nil
	}
	for raw, span := range wire.Members(arguments) {
		name, _ := wire.Unquote(raw)
		value := span.Of(arguments)
		text, isText := wire.Unquote(value)
		switch {
		case name == "name" && isText && text == tool && !d.names["name"]:
			continue
		case name != "arguments" || inner != nil:
			return nil
		case isText:
			value = objectIn(text)
		}
		if inner = value; !isObject(inner) {
			return nil
		}
	}
	var members []pair
	for raw, span := range wire.Members(inner) {
		members = append(members, pair{raw, span.Of(inner)})
	}
	if !d.hasAll(members) {
		return nil
	}
	return inner
}

// objectOf returns a JSON object with the given members.
func objectOf(members []pair) []byte {
	object := []byte{'{'}
	for i, m := range members {
		if i > 0 {
			object = append(object, ',')
		}
		object = append(append(append(object, m.name...), ':'), m.value...)
	}
	return append(object, '}')
}

// memberNames lists the names of the first members.
func memberNames(members []pair) string {
	var names []string
	for _, m := range members[:min(len(members), 5)] {
		name, _ := wire.Unquote(m.name)
		names = append(names, shownName(name))
	}
	return strings.Join(names, ", ")
}

// parametersOf describes the parameters of a tool, if they are known.
func parametersOf(tool Tool) string {
	if tool.Definition == nil {
		return ""
	}
	return ". The tool is " + oneLine(tool.Name) + Signature(tool.inputSchema())
}

// isObject reports whether raw, a value from a scanned message, is an object.
func isObject(raw []byte) bool { return len(raw) > 0 && raw[0] == '{' }

// objectIn returns the JSON object encoded in text, or nil.
func objectIn(text string) []byte {
	text = strings.TrimSpace(text)
	raw := []byte(text)
	var s wire.Scanner
	var m wire.Message
	if !isObject(raw) || s.Scan(raw, &m) != nil {
		return nil
	}
	return raw
}

func emptyObject(raw []byte) bool {
	for range wire.Members(raw) {
		return false
	}
	return true
}
