package doctor

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// bytesPerToken is how many bytes of compact JSON are one token: docs/check.md
// says what it was measured on.
const bytesPerToken = 4

// Tokens estimates what a tool costs of a model's context: the client sends the
// definition, as JSON without white space, with every request.
func Tokens(definition []byte) int {
	var compact bytes.Buffer
	if json.Compact(&compact, definition) != nil { // nests too deep
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

// Biggest returns the n tools that cost most, the biggest first.
func Biggest(sizes []Size, n int) []Size {
	ordered := slices.SortedStableFunc(slices.Values(sizes), func(a, b Size) int { return cmp.Compare(b.Tokens, a.Tokens) })
	return ordered[:min(n, len(ordered))]
}

// maxTokens is where Claude Code begins to warn: "Large MCP tools context
// (~144,802 tokens > 25,000)", github.com/anthropics/claude-code/issues/12241.
const maxTokens = 25_000

// toolLimit is how many tools a client takes of all servers together.
type toolLimit struct {
	client string
	limit  int
	source string
}

// toolLimits, the smallest first.
var toolLimits = []toolLimit{
	{"cursor", 80, "github.com/Snowflake-Labs/mcp/issues/77"},
	{"windsurf", 100, "docs.windsurf.com/windsurf/cascade/mcp"},
	{"vscode", 128, "github.com/microsoft/vscode-copilot-release/issues/11653"},
}

// checkSize tells of more tools, or bigger ones, than clients take.
func checkSize(tools []definition, client string) (findings []Finding) {
	findings = append(findings, checkCount(len(tools), client)...)
	sizes := make([]Size, len(tools))
	total := 0
	for i, tool := range tools {
		sizes[i] = Size{tool.Name, Tokens(tool.Definition)}
		total += sizes[i].Tokens
	}
	if total > maxTokens {
		f := Finding{Kind: TooManyTokens, Severity: Warning, Where: "mcpServers"}
		var names []string
		for _, size := range Biggest(sizes, 3) {
			names = append(names, plain(size.Name))
		}
		f.What = fmt.Sprintf("the tools cost about %d tokens of the model's context", total)
		if client == "" || client == "claude-code" {
			f.What += fmt.Sprintf("; Claude Code warns of more than %d", maxTokens)
		}
		f.Mend = "leave out what you do not need, servers with --only and tools with --deny; the biggest tools are " + strings.Join(names, ", ")
		findings = append(findings, f)
	}
	return findings
}

func checkCount(count int, client string) []Finding {
	var clients, limits []string
	for _, l := range toolLimits {
		if count > l.limit && (client == "" || client == l.client) {
			clients = append(clients, l.client)
			limits = append(limits, fmt.Sprintf("%s %d", titles[l.client], l.limit))
		}
	}
	if clients == nil {
		return nil
	}
	return []Finding{{
		Kind: TooManyTools, Severity: Warning, Where: "mcpServers", Clients: clients,
		What: fmt.Sprintf("there are %d tools, more than clients take of all servers together: %s", count, enumerate(limits)),
		Mend: "leave out what you do not need, servers with --only and tools with --deny",
	}}
}
