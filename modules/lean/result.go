package lean

import (
	"context"
	"strconv"
	"strings"

	"mcp-aggregator/modules/wire"
)

// Limits of a search and its result.
const (
	defaultLimit = 8
	maxLimit     = 50
	maxQuery     = 2000 // bytes
	lineSize     = 236  // bytes of a tool's line, unless its required parameters need more
	maxName      = 256  // bytes of a name; the specification allows 128
	minSummary   = 40   // bytes of a summary, however long the signature is
)

// search handles search_tools.
func search(ctx context.Context, c Catalogue, arguments []byte) []byte {
	query, _ := wire.Unquote(wire.Member(arguments, "query").Of(arguments))
	query = strings.TrimSpace(query)
	switch {
	case query == "":
		return errorResult(`search_tools needs a query that says what the tool should do, such as {"query": "create issue"}`)
	case len(query) > maxQuery:
		return errorResult("search_tools: the query is too long; at most " + strconv.Itoa(maxQuery) + " bytes")
	}
	limit, servers := limitOf(arguments), stringList(wire.Member(arguments, "servers").Of(arguments))
	if len(servers) > 0 {
		all := c.Servers()
		if unknown := unknownServers(servers, all); len(unknown) > 0 {
			return errorResult("search_tools: no connected server is named " + strings.Join(unknown, ", ") + "; " + serverNames(all))
		}
	}
	hits, err := c.Search(ctx, query, limit, servers)
	switch {
	case err != nil:
		return errorResult("search_tools: " + oneLine(err.Error()))
	case len(hits) == 0:
		return noHits(query, c.Servers(), len(servers) > 0)
	}
	return hitsResult(hits[:min(len(hits), limit)])
}

// limitOf returns the requested number of tools. Models also write numbers as strings.
func limitOf(arguments []byte) int {
	raw := strings.Trim(string(wire.Member(arguments, "limit").Of(arguments)), `"`)
	limit, err := strconv.ParseFloat(raw, 64)
	if err != nil || limit < 1 {
		return defaultLimit
	}
	return int(min(limit, maxLimit))
}

// stringList returns the strings of an array, or raw itself if it is a string.
func stringList(raw []byte) (list []string) {
	if text, ok := wire.Unquote(raw); ok {
		return []string{text}
	}
	for span := range wire.Elements(raw) {
		if text, ok := wire.Unquote(span.Of(raw)); ok {
			list = append(list, text)
		}
	}
	return list
}

func unknownServers(wanted []string, servers []Server) (unknown []string) {
	names := map[string]bool{}
	for _, s := range servers {
		names[s.Name] = true
	}
	for _, name := range wanted {
		if !names[name] && len(unknown) < 3 {
			unknown = append(unknown, shownName(name))
		}
	}
	return unknown
}

// serverNames lists the servers, as many as fit.
func serverNames(servers []Server) string {
	servers = withTools(servers)
	names := []string{}
	for _, s := range servers {
		names = append(names, cut(oneLine(s.Name), maxParameter))
	}
	if len(names) == 0 {
		return "no server has tools yet"
	}
	return "servers: " + cut(strings.Join(names, ", "), 400)
}

// noHits returns the result of a search without matches, which is not an error.
func noHits(query string, servers []Server, filtered bool) []byte {
	text := "No tool matches " + string(wire.AppendQuoted(nil, cut(oneLine(query), 80))) +
		". Try other words: a verb and its object in English, such as \"list files\"; "
	if filtered {
		text += "search all servers without the filter; "
	}
	return result(text+serverNames(servers), []byte(`{"tools":[]}`), false)
}

// hitsResult returns the result of a search: one line per tool for models, and structured
// content for programs. The tool has no outputSchema, because its cost in tokens exceeds
// its use.
func hitsResult(hits []Hit) []byte {
	var text strings.Builder
	structured := []byte(`{"tools":[`)
	for i, hit := range hits {
		if i > 0 {
			text.WriteByte('\n')
			structured = append(structured, ',')
		}
		signature := Signature(hit.inputSchema())
		labels := hit.allLabels()
		head := cut(oneLine(hit.Name), maxName) + signature
		tail := ""
		if len(labels) > 0 {
			tail = " [" + strings.Join(labels, "] [") + "]"
		}
		summary := cut(Summary(hit.description()), max(minSummary, lineSize-len(head)-len(tail)-len(" - ")))
		if text.WriteString(head); summary != "" {
			text.WriteString(" - " + summary)
		}
		text.WriteString(tail)
		structured = appendHit(structured, hit, signature, summary, labels)
	}
	return result(text.String(), append(structured, `]}`...), false)
}

// maxLabels bounds the labels shown for one tool.
const maxLabels = 4

func (h Hit) allLabels() []string {
	labels := h.labels()
	for _, risk := range h.Risks {
		if risk = cut(oneLine(risk), 32); risk != "" && len(labels) < maxLabels {
			labels = append(labels, risk)
		}
	}
	return labels
}

func appendHit(dst []byte, hit Hit, signature, summary string, labels []string) []byte {
	dst = wire.AppendQuoted(append(dst, `{"name":`...), cut(hit.Name, maxName))
	dst = wire.AppendQuoted(append(dst, `,"signature":`...), signature)
	if summary != "" {
		dst = wire.AppendQuoted(append(dst, `,"summary":`...), summary)
	}
	for i, label := range labels {
		between := `,`
		if i == 0 {
			between = `,"hints":[`
		}
		dst = wire.AppendQuoted(append(dst, between...), label)
	}
	if len(labels) > 0 {
		dst = append(dst, ']')
	}
	score := 0.0
	if hit.Score > 0 { // false for NaN
		score = min(hit.Score, 1)
	}
	dst = strconv.AppendFloat(append(dst, `,"score":`...), score, 'f', 2, 64)
	return append(dst, '}')
}

// result returns a CallToolResult with a text and, if not nil, structured content
// (2025-11-25, server/tools#tool-result).
func result(text string, structured []byte, isError bool) []byte {
	out := append(textBlock([]byte(`{"content":[`), text), ']')
	if structured != nil {
		out = append(append(out, `,"structuredContent":`...), structured...)
	}
	if isError {
		out = append(out, `,"isError":true`...)
	}
	return append(out, '}')
}

// errorResult returns the result of a call that the model can correct.
func errorResult(text string) []byte { return result(text, nil, true) }

// textBlock appends a text content block.
func textBlock(dst []byte, text string) []byte {
	return append(wire.AppendQuoted(append(dst, `{"type":"text","text":`...), text), '}')
}
