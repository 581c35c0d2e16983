package check

import (
	"slices"

	"mcp-aggregator/config/clienttable"
	"mcp-aggregator/modules/doctor"
	"mcp-aggregator/modules/registry"
)

// Clients returns the keys of the clients that check can judge for, sorted. To those
// without a rule of their own only the rules for every client apply.
func Clients() (keys []string) {
	for _, c := range clienttable.All() {
		keys = append(keys, c.Key)
	}
	slices.Sort(keys)
	return keys
}

// withAliases returns the clients that see tools under aliases.
func withAliases() []clienttable.Client {
	return slices.DeleteFunc(clienttable.All(), func(c clienttable.Client) bool { return c.Naming == nil })
}

// nameRules returns the rules of the clients that see aliases.
func nameRules() (rules []doctor.NameRule) {
	for _, c := range withAliases() {
		rules = append(rules, doctor.NameRule{Client: c.Key, Problem: c.Naming.Problem})
	}
	return rules
}

// tools returns the tools of each server, with the names that clients see.
func (g gatherer) tools() map[string][]doctor.Tool {
	snapshot := g.node.Tools.Snapshot()
	var shown [][]string // by rule, then by tool
	for _, c := range withAliases() {
		shown = append(shown, g.view(snapshot, c.Names[0]).Names())
	}
	tools := make(map[string][]doctor.Tool)
	for i, entry := range snapshot.Entries() {
		tool := doctor.Tool{Name: entry.Canonical, Server: entry.Server, OriginalName: entry.OriginalName, Definition: entry.Definition}
		for _, names := range shown {
			tool.Shown = append(tool.Shown, names[i])
		}
		tools[entry.Server] = append(tools[entry.Server], tool)
	}
	return tools
}

// view returns the tools as the client with that clientInfo.name sees them.
func (g gatherer) view(s *registry.Snapshot, clientInfo string) *registry.View {
	return s.View(registry.Separator(g.o.Separator).NamingFor(clientInfo))
}

// names returns the canonical names of all tools, and the names that the client with
// that key sees; without a client, the names that all clients see, if they differ.
func (g gatherer) names(key string) (tools []string, shown []NameReport) {
	snapshot := g.node.Tools.Snapshot()
	public := g.view(snapshot, clientInfoOf(key)).Names()
	tools = []string{} // not null
	for i, entry := range snapshot.Entries() {
		tools = append(tools, entry.Canonical)
		shown = append(shown, NameReport{Tool: entry.Canonical, Name: public[i]})
	}
	if key == "" && slices.Equal(tools, public) {
		return tools, nil
	}
	return tools, shown
}

// clientInfoOf returns a clientInfo.name of the client; "" if it has no naming rule.
func clientInfoOf(key string) string {
	if c, ok := clienttable.Find(key); ok && c.Naming != nil {
		return c.Names[0]
	}
	return ""
}
