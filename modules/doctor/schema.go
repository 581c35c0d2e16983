package doctor

import (
	"fmt"
	"strings"
)

// schemaRule is one form of a schema that clients are known to reject.
type schemaRule struct {
	kind     Kind
	severity Severity
	clients  []string // keys; nil for all
	member   string   // of the definition: the schema that is looked at
	// find returns what is wrong, as the end of "its inputSchema ", or "".
	find   func(schema any) string
	effect string // what comes of it
	source string
}

// claudeClients give every schema to the API of Claude.
var claudeClients = []string{"claude-code", "claude-desktop"}

// schemaRules has what was seen in the field or is written in a vendor's
// documents, and nothing else.
var schemaRules = []schemaRule{
	{
		kind: SchemaNotObject, severity: Error, member: input, find: notObject,
		effect: "clients that check it lose every tool of the list",
		source: "github.com/zereight/gitlab-mcp/issues/286; the MCP specification, Tool.inputSchema",
	},
	{
		kind: OutputNotObject, severity: Error, member: output, find: notObject,
		effect: "clients of the TypeScript SDK lose every tool of the list",
		source: "github.com/kenn-io/msgvault/issues/626",
	},
	{
		kind: SchemaComposed, severity: Error, clients: []string{"claude-code", "claude-desktop", "codex"}, member: input, find: composed,
		effect: "the APIs of Claude and OpenAI refuse it: the tool is dropped, or every request fails",
		source: "github.com/anthropics/claude-code/issues/95504; github.com/makenotion/notion-mcp-server/issues/340",
	},
	{
		kind: PropertyName, severity: Error, clients: claudeClients, member: input, find: badProperty,
		effect: "the API of Claude refuses every request that carries it",
		source: "github.com/anthropics/claude-code/issues/79418",
	},
	{
		kind: BooleanBound, severity: Error, clients: claudeClients, member: input, find: booleanBound,
		effect: "the API of Claude refuses every request that carries it",
		source: "github.com/Dokploy/mcp/issues/74",
	},
	{
		kind: ArrayWithoutItems, severity: Error, clients: []string{"vscode"}, member: input, find: arrayWithoutItems,
		effect: "VS Code refuses the tool",
		source: "github.com/microsoft/vscode/issues/246119",
	},
	{
		kind: OutputDangling, severity: Error, member: output, find: dangling,
		effect: "clients of the TypeScript SDK lose every tool of the list",
		source: "github.com/modelcontextprotocol/typescript-sdk/issues/1175; github.com/anthropics/claude-code/issues/76040",
	},
	{
		kind: DanglingReference, severity: Warning, member: input, find: dangling,
		effect: "no client can tell what it means",
		source: "JSON Schema 2020-12, 8.2.3.1",
	},
	{
		kind: EnumNotOfStrings, severity: Note, clients: []string{"gemini"}, member: input, find: enumNotOfStrings,
		effect: "clients that give it to Gemini's API as it is have every request refused",
		source: "github.com/hyperdxio/hyperdx/issues/2967; ai.google.dev/api/caching#Schema",
	},
	{
		kind: FormatUnknown, severity: Note, clients: []string{"gemini"}, member: input, find: unknownFormat,
		effect: "clients that give it to Gemini's API as it is have every request refused",
		source: "github.com/google-gemini/gemini-cli/issues/2237; ai.google.dev/api/caching#Schema",
	},
	{
		kind: PropertiesMissing, severity: Note, member: input, find: noProperties,
		effect: "clients that give it to OpenAI's API as it is have every request refused",
		source: "github.com/openai/openai-agents-python/issues/449; github.com/inboxapi/cli/issues/106",
	},
}

// checkSchemas holds the tools of one server against the table. What several
// tools have in common is one finding.
func checkSchemas(tools []definition) (findings []Finding) {
	for _, rule := range schemaRules {
		found := Finding{Kind: rule.kind, Severity: rule.severity, Clients: rule.clients}
		for _, tool := range tools {
			wrong := rule.wrong(tool)
			if wrong == "" {
				continue
			}
			if found.Tools == nil {
				found.Where = tool.Name
				found.What = fmt.Sprintf("its %s %s; %s", rule.member, wrong, rule.effect)
			}
			found.Tools = append(found.Tools, tool.Name)
		}
		if found.Tools != nil {
			found.Mend = mendOf(found)
			findings = append(findings, found)
		}
	}
	return findings
}

func mendOf(f Finding) string {
	switch {
	case f.Severity == Note:
		return nothing + " unless your client complains; then tell the server's author"
	case len(f.Tools) == 1:
		return fmt.Sprintf("tell the server's author, and hide the tool until then: --deny %q", shortened(f.Where))
	}
	return fmt.Sprintf("tell the server's author, and hide the tools until then: --deny %q, and so on", shortened(f.Where))
}

// wrong returns what the rule says of the tool. Only an inputSchema has to be there.
func (r schemaRule) wrong(tool definition) string {
	schema, present := tool.schemas[r.member]
	if tool.unread || !present && r.kind != SchemaNotObject {
		return ""
	}
	return r.find(schema)
}

func notObject(schema any) string {
	object, ok := schema.(map[string]any)
	switch {
	case schema == nil:
		return "is missing"
	case !ok:
		return "is no object"
	case object["type"] != "object":
		return fmt.Sprintf(`is of the type %s, not "object"`, shownType(object["type"]))
	}
	return ""
}

// composed looks at the top level only: further down all clients take them.
func composed(schema any) string {
	object, _ := schema.(map[string]any)
	for _, keyword := range []string{"anyOf", "oneOf", "allOf"} {
		if _, ok := object[keyword]; ok {
			return fmt.Sprintf("has %q at the top level", keyword)
		}
	}
	return ""
}

// badProperty looks at the top level only, as the API does.
func badProperty(schema any) string {
	object, _ := schema.(map[string]any)
	properties, _ := object["properties"].(map[string]any)
	for _, name := range sorted(properties) {
		if name == "" || len(name) > 64 || strings.ContainsFunc(name, notInProperty) {
			return fmt.Sprintf("has the property %q, which is not 1 to 64 of a-z A-Z 0-9 _ . -", shortened(name))
		}
	}
	return ""
}

func notInProperty(r rune) bool {
	return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-", r)
}

func noProperties(schema any) string {
	object, ok := schema.(map[string]any)
	if _, has := object["properties"]; ok && !has && object["type"] == "object" {
		return `has no "properties"`
	}
	return ""
}
