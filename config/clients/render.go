package clients

import (
	"bytes"
	"encoding/json"

	"mcp-aggregator/config"
)

// Compose returns an mcpServers file with servers.
func Compose(servers []Server) []byte {
	text := []byte("{\n  \"mcpServers\": {")
	for i, server := range servers {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(text, "\n    "...)
		text = append(text, quote(server.Key)...)
		text = append(text, ": "...)
		text = append(text, style{newline: "\n", unit: "  "}.render(entryFields(server.Entry), "    ")...)
	}
	if len(servers) > 0 {
		text = append(text, "\n  "...)
	}
	return append(text, "}\n}\n"...)
}

// field is one member to render.
type field struct {
	name  string
	value any // string, []string, []config.Var, []field, or JSON as []byte
}

func entryFields(entry config.Entry) []field {
	all := []field{{"command", entry.Command}}
	if len(entry.Args) > 0 {
		all = append(all, field{"args", entry.Args})
	}
	if len(entry.Env) > 0 {
		all = append(all, field{"env", entry.Env})
	}
	if entry.Cwd != nil {
		all = append(all, field{"cwd", *entry.Cwd})
	}
	return all
}

// style is the layout of a file.
type style struct {
	newline string // "" for a file on one line
	unit    string // of indentation
	space   string // after a colon and a comma on one line
}

// render returns an object; indent is the indentation of the line that it begins on.
func (s style) render(fields []field, indent string) []byte {
	text := []byte("{")
	for i, f := range fields {
		text = s.beginItem(text, i, indent+s.unit)
		text = append(append(text, quote(f.name)...), ':')
		text = append(append(text, s.colonSpace()...), s.renderValue(f.value, indent+s.unit)...)
	}
	return append(s.closeItems(text, len(fields), indent), '}')
}

func (s style) renderValue(value any, indent string) []byte {
	switch v := value.(type) {
	case []string:
		if list := (style{space: " "}).renderList(v, ""); s.newline != "" && len(list) <= maxList {
			return list
		}
		return s.renderList(v, indent)
	case []config.Var:
		return s.render(asFields(v), indent)
	case []field:
		return s.render(v, indent)
	case string:
		return quote(v)
	case []byte:
		return v
	default:
		return nil
	}
}

// maxList is the length, in bytes, up to which a list is rendered on one line.
const maxList = 100

func (s style) renderList(items []string, indent string) []byte {
	text := []byte("[")
	for i, item := range items {
		text = s.beginItem(text, i, indent+s.unit)
		text = append(text, quote(item)...)
	}
	return append(s.closeItems(text, len(items), indent), ']')
}

// beginItem appends the separator before an item of an object or array.
func (s style) beginItem(text []byte, i int, indent string) []byte {
	if i > 0 {
		text = append(text, ',')
	}
	switch {
	case s.newline != "":
		return append(text, s.newline+indent...)
	case i > 0:
		return append(text, s.space...)
	}
	return text
}

func (s style) closeItems(text []byte, items int, indent string) []byte {
	if s.newline != "" && items > 0 {
		return append(text, s.newline+indent...)
	}
	return text
}

func (s style) colonSpace() string {
	if s.newline != "" {
		return " "
	}
	return s.space
}

// quote returns a JSON string without unnecessary escapes.
func quote(text string) []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text) // never fails for a string
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}
