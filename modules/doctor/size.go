package doctor

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"mcp-aggregator/config/clienttable"
)

// bytesPerToken is the number of bytes of compact JSON in a token: docs/check.md has the
// measurement.
const bytesPerToken = 4

// Tokens estimates how many tokens of a model's context a tool takes: the client sends the
// definition, as compact JSON, with every request.
func Tokens(definition []byte) int {
	var compact bytes.Buffer
	if json.Compact(&compact, definition) != nil { // it nests too deep
		return tokens(len(definition))
	}
	return tokens(compact.Len())
}

func tokens(size int) int { return (size + bytesPerToken - 1) / bytesPerToken }

// Size is the estimated cost of one tool.
type Size struct {
	Name   string `json:"name"`
	Tokens int    `json:"tokens"`
}

// Biggest returns the n largest tools, the largest first.
func Biggest(sizes []Size, n int) []Size {
	ordered := slices.SortedStableFunc(slices.Values(sizes), func(a, b Size) int { return cmp.Compare(b.Tokens, a.Tokens) })
	return ordered[:min(n, len(ordered))]
}

// checkSize reports more or larger tools than clients accept.
func checkSize(tools []definition, client string) (findings []Finding) {
	findings = append(findings, checkCount(len(tools), client)...)
	sizes := make([]Size, len(tools))
	total := 0
	for i, tool := range tools {
		sizes[i] = Size{tool.Name, Tokens(tool.Definition)}
		total += sizes[i].Tokens
	}
	warns := func(c clienttable.Client) bool { return 0 < c.Limits.Tokens && c.Limits.Tokens < total }
	if clientKeys(warns) == nil {
		return findings
	}
	f := Finding{Kind: TooManyTokens, Severity: Warning, Where: "mcpServers"}
	var names []string
	for _, size := range Biggest(sizes, 3) {
		names = append(names, printable(size.Name))
	}
	f.What = fmt.Sprintf("the tools cost about %d tokens of the model's context", total)
	for _, c := range clienttable.All() {
		if warns(c) && appliesTo(c, client) {
			f.What += fmt.Sprintf("; %s warns of more than %d", c.Title, c.Limits.Tokens)
		}
	}
	f.Fix = "leave out what you do not need, servers with --only and tools with --deny; the biggest tools are " + strings.Join(names, ", ")
	return append(findings, f)
}

func checkCount(count int, client string) []Finding {
	byLimit := clienttable.All()
	slices.SortStableFunc(byLimit, func(a, b clienttable.Client) int { return cmp.Compare(a.Limits.Tools, b.Limits.Tools) })
	var clients, limits []string
	for _, c := range byLimit {
		if 0 < c.Limits.Tools && c.Limits.Tools < count && appliesTo(c, client) {
			clients = append(clients, c.Key)
			limits = append(limits, fmt.Sprintf("%s %d", c.Title, c.Limits.Tools))
		}
	}
	if clients == nil {
		return nil
	}
	return []Finding{{
		Kind: TooManyTools, Severity: Warning, Where: "mcpServers", Clients: clients,
		What: fmt.Sprintf("there are %d tools, more than clients take of all servers together: %s", count, joinAnd(limits)),
		Fix:  "leave out what you do not need, servers with --only and tools with --deny",
	}}
}
