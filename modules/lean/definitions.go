package lean

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"mcp-aggregator/modules/wire"
)

// The names of the three tools.
const (
	SearchTools   = "search_tools"
	DescribeTools = "describe_tools"
	CallTool      = "call_tool"
)

// Owns reports whether name is one of the three tools.
func Owns(name string) bool {
	return name == SearchTools || name == DescribeTools || name == CallTool
}

// maxDescription bounds the description of search_tools, in bytes of JSON: 300 tokens of
// four bytes.
const maxDescription = 1200

// searchIntro begins the description of search_tools.
const searchIntro = "Finds tools of the connected servers. Use it first, whenever a task may need a tool. " +
	"Returns one line per tool: name(parameters) - what it does; * marks required parameters. Then use call_tool. "

// Listing holds the definitions of the three tools.
type Listing struct {
	Elements []byte // JSON objects separated by commas
	Version  string // changes with the definitions, so that clients can be notified
}

// Array returns a JSON array of the three definitions, followed by others such as pinned
// tools.
func (l Listing) Array(pinned ...[]byte) []byte {
	list := append([]byte{'['}, l.Elements...)
	for _, definition := range pinned {
		list = append(append(list, ','), definition...)
	}
	return append(list, ']')
}

// Definitions returns the definitions of the three tools, at most 1,000 tokens. They depend
// on the names, purposes and hints of the servers, but not on their order.
func Definitions(servers []Server) Listing {
	servers = withTools(servers)
	all := make([]Hints, len(servers))
	for i, s := range servers {
		all[i] = s.Hints
	}
	hints := Combined(all...)
	out := append([]byte(nil), `{"name":"search_tools","title":"Search tools","description":`...)
	out = wire.AppendQuoted(out, searchIntro+serverList(servers, maxDescription-len(searchIntro)-len(`""`)))
	out = append(out, `,"inputSchema":{"type":"object","properties":{`+
		`"query":{"type":"string","description":"What the tool should do: a verb and its object, such as \"create issue\""},`+
		`"limit":{"type":"integer","minimum":1,"maximum":50,"default":8},`+
		`"servers":{"type":"array","items":{"type":"string"},"description":"Only tools of these servers"}},`+
		`"required":["query"]},"annotations":{"readOnlyHint":true,"openWorldHint":false}},`+
		`{"name":"describe_tools","title":"Describe tools",`+
		`"description":"Returns the full definitions of tools: description and schemas. `+
		`Not needed before a call whose parameters are clear from search_tools.",`+
		`"inputSchema":{"type":"object","properties":{"names":{"type":"array","items":{"type":"string"},"minItems":1,"maxItems":20,`+
		`"description":"Names as search_tools gives them"}},"required":["names"]},`+
		`"annotations":{"readOnlyHint":true,"openWorldHint":false}},`+
		`{"name":"call_tool","title":"Call a tool","description":"Calls a tool and returns its own result. `+
		`Example: {\"name\": \"server.tool\", \"arguments\": {\"parameter\": \"value\"}}",`+
		`"inputSchema":{"type":"object","properties":{`+
		`"name":{"type":"string","description":"The tool's name as search_tools gives it"},`+
		`"arguments":{"type":"object","description":"The tool's own arguments"}},"required":["name"]},"annotations":{"readOnlyHint":`...)
	out = strconv.AppendBool(out, hints.ReadOnly)
	out = strconv.AppendBool(append(out, `,"destructiveHint":`...), hints.Destructive)
	out = strconv.AppendBool(append(out, `,"openWorldHint":`...), hints.OpenWorld)
	out = append(out, `}}`...)
	sum := sha256.Sum256(out)
	return Listing{Elements: out, Version: hex.EncodeToString(sum[:8])}
}

// withTools returns the servers that have tools, sorted by name.
func withTools(servers []Server) []Server {
	servers = slices.DeleteFunc(slices.Clone(servers), func(s Server) bool { return s.Tools == 0 })
	slices.SortFunc(servers, func(a, b Server) int { return cmp.Compare(a.Name, b.Name) })
	return servers
}

// serverList describes the servers in at most limit bytes of JSON. Names take precedence;
// the remaining space is divided evenly among their purposes.
func serverList(servers []Server, limit int) string {
	if len(servers) == 0 {
		return "No server is connected yet."
	}
	const intro, more = "Servers:", "\n+10000 more" // a line break takes two bytes in JSON: \n
	names, left := []string{}, limit-len(intro)
	for i, s := range servers {
		name := "\n" + cut(oneLine(s.Name), maxParameter)
		need := quotedSize(name)
		if i < len(servers)-1 {
			need += len(more) + 1
		}
		if need > left {
			break
		}
		left -= quotedSize(name)
		names = append(names, name)
	}
	if omitted := len(servers) - len(names); omitted > 0 {
		return intro + strings.Join(names, "") + "\n+" + strconv.Itoa(omitted) + " more"
	}
	purposes := fitPurposes(servers, left)
	for i := range names {
		names[i] += purposes[i]
	}
	return intro + strings.Join(names, "")
}

// minPurpose is the length in bytes below which a purpose is not worth showing.
const minPurpose = 12

// fitPurposes returns the text to append to each server's name, using at most left bytes of
// JSON: their purposes, all cut to the same length.
func fitPurposes(servers []Server, left int) []string {
	texts, longest := make([]string, len(servers)), 0
	for i, s := range servers {
		if purpose := s.purpose(); purpose != "" {
			texts[i] = ": " + purpose
			longest = max(longest, len(texts[i]))
		}
	}
	shortened := func(length int) (all []string, size int) {
		for _, text := range texts {
			all = append(all, cut(text, length))
			size += quotedSize(all[len(all)-1])
		}
		return all, size
	}
	for length := longest; length >= minPurpose; length-- {
		if all, size := shortened(length); size <= left {
			return all
		}
	}
	return make([]string, len(servers))
}

// quotedSize returns the size of text inside a JSON string, in bytes.
func quotedSize(text string) int { return len(wire.AppendQuoted(nil, text)) - len(`""`) }
