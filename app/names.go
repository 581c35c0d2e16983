package app

import (
	"slices"

	"mcp-aggregator/modules/doctor"
	"mcp-aggregator/modules/registry"
)

// Clients returns the keys that check can judge for, sorted.
func Clients() []string { return doctor.Clients() }

// nameRules are the registry's, for the doctor.
func nameRules() (rules []doctor.NameRule) {
	for _, rule := range registry.Rules() {
		rules = append(rules, doctor.NameRule{Client: rule.Client, Problem: rule.Problem})
	}
	return rules
}

// toolsOf returns the tools of each server, with the names that clients see.
func (n *node) toolsOf(o Options) map[string][]doctor.Tool {
	snapshot := n.tools.Snapshot()
	var shown [][]string // by rule, then by tool
	for _, rule := range registry.Rules() {
		shown = append(shown, viewOf(snapshot, o, rule.Names[0]).Names())
	}
	tools := make(map[string][]doctor.Tool)
	for i, entry := range snapshot.Entries() {
		tool := doctor.Tool{Name: entry.Canonical, Server: entry.Server, Own: entry.Own, Definition: entry.Definition}
		for _, names := range shown {
			tool.Shown = append(tool.Shown, names[i])
		}
		tools[entry.Server] = append(tools[entry.Server], tool)
	}
	return tools
}

func viewOf(s *registry.Snapshot, o Options, clientInfo string) *registry.View {
	return s.View(registry.Separator(o.Separator).NamingFor(clientInfo))
}

// names returns the canonical names of all tools, and what the client with that
// key sees instead; without a client, what all see, if that is something else.
func (n *node) names(o Options, client string) (tools []string, shown []NameReport) {
	snapshot := n.tools.Snapshot()
	public := viewOf(snapshot, o, clientInfoOf(client)).Names()
	tools = []string{} // not null
	for i, entry := range snapshot.Entries() {
		tools = append(tools, entry.Canonical)
		shown = append(shown, NameReport{Tool: entry.Canonical, Name: public[i]})
	}
	if client == "" && slices.Equal(tools, public) {
		return tools, nil
	}
	return tools, shown
}

// clientInfoOf returns a name that the client gives itself; "" if it has no rule.
func clientInfoOf(client string) string {
	for _, rule := range registry.Rules() {
		if rule.Client == client {
			return rule.Names[0]
		}
	}
	return ""
}
