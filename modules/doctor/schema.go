package doctor

import (
	"fmt"
	"slices"
	"strings"

	"mcp-aggregator/config/clienttable"
)

// schemaRule describes schemas that clients are known to reject.
type schemaRule struct {
	kind     Kind
	severity Severity
	clients  func(clienttable.Client) bool // the clients that it concerns; nil for all
	member   string                        // the member of the definition that has the schema
	// problem returns what is wrong, as the end of "its inputSchema ", or "".
	problem func(schema any) string
	effect  string // the effect of the problem
	source  string
}

// schemaRules has only what was observed in use or is documented by a vendor.
var schemaRules = []schemaRule{
	{
		kind: SchemaNotObject, severity: Error, member: inputMember, problem: notObject,
		effect: "clients that check it lose every tool of the list",
		source: "github.com/zereight/gitlab-mcp/issues/286; the MCP specification, Tool.inputSchema",
	},
	{
		kind: OutputNotObject, severity: Error, member: outputMember, problem: notObject,
		effect: "clients of the TypeScript SDK lose every tool of the list",
		source: "github.com/kenn-io/msgvault/issues/626",
	},
	{
		kind: SchemaComposed, severity: Error, clients: alwaysUses(clienttable.ClaudeAPI, clienttable.OpenAIAPI), member: inputMember, problem: topLevelComposition,
		effect: "the APIs of Claude and OpenAI refuse it: the tool is dropped, or every request fails",
		source: "github.com/anthropics/claude-code/issues/95504; github.com/makenotion/notion-mcp-server/issues/340",
	},
	{
		kind: PropertyName, severity: Error, clients: alwaysUses(clienttable.ClaudeAPI), member: inputMember, problem: invalidPropertyName,
		effect: "the API of Claude refuses every request that carries it",
		source: "github.com/anthropics/claude-code/issues/79418",
	},
	{
		kind: BooleanBound, severity: Error, clients: alwaysUses(clienttable.ClaudeAPI), member: inputMember, problem: booleanExclusiveBound,
		effect: "the API of Claude refuses every request that carries it",
		source: "github.com/Dokploy/mcp/issues/74",
	},
	{
		kind: ArrayWithoutItems, severity: Error, clients: itemsRequired, member: inputMember, problem: arrayWithoutItems,
		effect: refusedBy(itemsRequired),
		source: "github.com/microsoft/vscode/issues/246119",
	},
	{
		kind: OutputDangling, severity: Error, member: outputMember, problem: danglingReference,
		effect: "clients of the TypeScript SDK lose every tool of the list",
		source: "github.com/modelcontextprotocol/typescript-sdk/issues/1175; github.com/anthropics/claude-code/issues/76040",
	},
	{
		kind: DanglingReference, severity: Warning, member: inputMember, problem: danglingReference,
		effect: "no client can tell what it means",
		source: "JSON Schema 2020-12, 8.2.3.1",
	},
	{
		kind: EnumNotOfStrings, severity: Note, clients: alwaysUses(clienttable.GeminiAPI), member: inputMember, problem: enumNotOfStrings,
		effect: "clients that give it to Gemini's API as it is have every request refused",
		source: "github.com/hyperdxio/hyperdx/issues/2967; ai.google.dev/api/caching#Schema",
	},
	{
		kind: FormatUnknown, severity: Note, clients: alwaysUses(clienttable.GeminiAPI), member: inputMember, problem: unknownFormat,
		effect: "clients that give it to Gemini's API as it is have every request refused",
		source: "github.com/google-gemini/gemini-cli/issues/2237; ai.google.dev/api/caching#Schema",
	},
	{
		kind: PropertiesMissing, severity: Note, clients: canUse(clienttable.OpenAIAPI), member: inputMember, problem: noProperties,
		effect: "clients that give it to OpenAI's API as it is have every request refused",
		source: "github.com/openai/openai-agents-python/issues/449; github.com/inboxapi/cli/issues/106",
	},
}

// checkSchemas checks tools against the rules of those severities. A problem that several
// tools have in common is one finding.
func checkSchemas(tools []definition, severities ...Severity) (findings []Finding) {
	for _, rule := range schemaRules {
		if slices.Contains(severities, rule.severity) {
			findings = append(findings, rule.checkTools(tools)...)
		}
	}
	return findings
}

func (r schemaRule) checkTools(tools []definition) (findings []Finding) {
	index := make(map[string]int) // index in findings, by problem class
	for _, tool := range tools {
		wrong := r.problemOf(tool)
		if wrong == "" {
			continue
		}
		i, known := index[problemClass(wrong)]
		if !known {
			i = len(findings)
			index[problemClass(wrong)] = i
			findings = append(findings, r.newFinding(tool, wrong))
		}
		findings[i].Tools = append(findings[i].Tools, tool.Name)
	}
	for i := range findings {
		if len(findings[i].Tools) > 1 && r.severity != Note {
			findings[i].Fix += ", and so on"
		}
	}
	return findings
}

// problemClass returns the first two words of a problem, which several tools have in
// common: "is missing", "is not", "has the".
func problemClass(wrong string) string {
	words := strings.SplitN(wrong, " ", 3)
	return words[0] + " " + words[1]
}

func (r schemaRule) newFinding(tool definition, wrong string) Finding {
	f := Finding{
		Kind: r.kind, Severity: r.severity, Where: tool.Name,
		What: fmt.Sprintf("its %s %s; %s", r.member, wrong, r.effect),
		Fix:  "tell the server's author, and until then " + hideFix(tool),
	}
	if r.clients != nil {
		f.Clients = clientKeys(r.clients)
	}
	if r.severity == Note {
		f.Fix = noAction + " unless your client complains; then tell the server's author"
	}
	return f
}

// problemOf returns the problem of the tool, or "". Only inputSchema is required.
func (r schemaRule) problemOf(tool definition) string {
	schema, present := tool.schemas[r.member]
	if tool.undecoded || !present && r.kind != SchemaNotObject {
		return ""
	}
	return r.problem(schema)
}

func notObject(schema any) string {
	object, ok := schema.(map[string]any)
	switch {
	case schema == nil:
		return "is missing"
	case !ok:
		return "is not an object"
	case object["type"] != "object":
		return fmt.Sprintf(`is of the type %s, not "object"`, shownType(object["type"]))
	}
	return ""
}

// topLevelComposition checks the top level only: all clients accept composition below it.
func topLevelComposition(schema any) string {
	object, _ := schema.(map[string]any)
	for _, keyword := range []string{"anyOf", "oneOf", "allOf"} {
		if _, ok := object[keyword]; ok {
			return fmt.Sprintf("has %q at the top level", keyword)
		}
	}
	return ""
}

// invalidPropertyName checks the top level only, as the API does.
func invalidPropertyName(schema any) string {
	object, _ := schema.(map[string]any)
	properties, _ := object["properties"].(map[string]any)
	for _, name := range sortedKeys(properties) {
		if name == "" || len(name) > 64 || strings.ContainsFunc(name, isInvalidInProperty) {
			return fmt.Sprintf("has the property %q, which is not 1 to 64 of a-z A-Z 0-9 _ . -", shorten(name))
		}
	}
	return ""
}

func isInvalidInProperty(r rune) bool {
	return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-", r)
}

func noProperties(schema any) string {
	object, ok := schema.(map[string]any)
	if _, has := object["properties"]; ok && !has && object["type"] == "object" {
		return `has no "properties"`
	}
	return ""
}
