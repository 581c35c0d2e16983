package lean

import (
	"slices"
	"strconv"
	"strings"

	"mcp-aggregator/modules/wire"
)

// Bounds of one call of describe_tools.
const (
	maxNames       = 20
	maxDefinitions = 2 << 20 // bytes, beyond the first definition
)

// describe handles describe_tools. It returns the definitions as the servers wrote them,
// under their public names, and lists the names that no tool has.
func describe(c Catalogue, arguments []byte) []byte {
	names := stringList(wire.Member(arguments, "names").Of(arguments))
	switch {
	case len(names) == 0:
		return errorResult(`describe_tools needs names of tools as returned by search_tools, such as {"names": ["server.tool"]}`)
	case len(names) > maxNames:
		return errorResult("describe_tools: at most " + strconv.Itoa(maxNames) + " names at once, not " + strconv.Itoa(len(names)))
	}
	var text, tools, unknown []byte
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			continue
		}
		if len(text) > 0 {
			text = append(text, '\n')
		}
		tool, presence := c.Lookup(name)
		if presence == Listed {
			definition := tool.renamedDefinition()
			if len(text)+len(definition) > maxDefinitions && tools != nil {
				text = append(text, "The definition of "+strconv.Quote(name)+" is large: describe it alone"...)
				continue
			}
			text = append(text, definition...)
			tools = appendElement(tools, definition)
			continue
		}
		nearest := c.Nearest(name)
		text = append(text, unknownName(name, presence, nearest)...)
		unknown = appendElement(unknown, unknownEntry(name, nearest))
	}
	structured := append(append([]byte(`{"tools":[`), tools...), ']')
	if unknown != nil {
		structured = append(append(append(structured, `,"unknown":[`...), unknown...), ']')
	}
	return result(string(text), append(structured, '}'), tools == nil)
}

// renamedDefinition returns the definition with its name replaced by the public one.
// Everything else is unchanged.
func (t Tool) renamedDefinition() []byte {
	definition := wire.OneLine(t.Definition)
	span := wire.Member(definition, "name")
	if name, _ := wire.Unquote(span.Of(definition)); name == t.Name || !span.Present() {
		return definition
	}
	return wire.Splice(definition, span, wire.AppendQuoted(nil, t.Name))
}

func appendElement(list, element []byte) []byte {
	if list != nil {
		list = append(list, ',')
	}
	return append(list, element...)
}

func unknownEntry(name string, nearest []string) []byte {
	entry := wire.AppendQuoted([]byte(`{"name":`), cut(name, maxName))
	entry = append(entry, `,"nearest":[`...)
	for i, other := range nearest {
		if i > 0 {
			entry = append(entry, ',')
		}
		entry = wire.AppendQuoted(entry, other)
	}
	return append(entry, `]}`...)
}

// unknownName returns the message for a name that no tool has, with similar names.
func unknownName(name string, presence Presence, nearest []string) string {
	name = string(wire.AppendQuoted(nil, cut(oneLine(name), maxName)))
	if presence == Unlisted {
		return "The server of " + name + " has no tools yet or cannot be reached"
	}
	text := "No tool is named " + name
	if len(nearest) > 0 {
		similar := make([]string, len(nearest))
		for i, other := range nearest {
			similar[i] = cut(oneLine(other), maxName)
		}
		text += "; nearest: " + strings.Join(similar, ", ")
	}
	return text + "; use search_tools to find tools"
}
