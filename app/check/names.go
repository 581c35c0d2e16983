package app

import (
	"slices"

	"mcp-aggregator/config/clienttable"
	"mcp-aggregator/modules/doctor"
	"mcp-aggregator/modules/registry"
)

// Clients returns the keys that check can judge for, sorted. Of some no rule is
// known: what holds for every client holds for them.
func Clients() (keys []string) {
	for _, c := range clienttable.All() {
		keys = append(keys, c.Key)
	}
	slices.Sort(keys)
	return keys
}

// withAliases returns the clients that see aliases of names.
func withAliases() []clienttable.Client {
	return slices.DeleteFunc(clienttable.All(), func(c clienttable.Client) bool { return c.Naming == nil })
}

// nameRules are those of the clients that see aliases.
func nameRules() (rules []doctor.NameRule) {
	for _, c := range withAliases() {
		rules = append(rules, doctor.NameRule{Client: c.Key, Problem: c.Naming.Problem})
	}
	return rules
}

// toolsOf returns the tools of each server, with the names that clients see.
func (n *node) toolsOf(o Options) map[string][]doctor.Tool {
	snapshot := n.tools.Snapshot()
	var shown [][]string // by rule, then by tool
	for _, c := range withAliases() {
		shown = append(shown, viewOf(snapshot, o, c.Names[0]).Names())
	}
	tools := make(map[string][]doctor.Tool)
	for i, entry := range snapshot.Entries() {
		tool := doctor.Tool{Name: entry.Canonical, Server: entry.Server, Own: entry.OriginalName, Definition: entry.Definition}
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
func (n *node) names(o Options, key string) (tools []string, shown []NameReport) {
	snapshot := n.tools.Snapshot()
	public := viewOf(snapshot, o, clientInfoOf(key)).Names()
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

// clientInfoOf returns a name that the client gives itself; "" if it has no rule.
func clientInfoOf(key string) string {
	if c, ok := clienttable.Find(key); ok && c.Naming != nil {
		return c.Names[0]
	}
	return ""
}
