package doctor

import (
	"fmt"
	"slices"
	"strings"

	"mcp-aggregator/config/clienttable"
)

// clientTitle returns the title of a client.
func clientTitle(key string) string {
	c, _ := clienttable.Find(key)
	return c.Title
}

// startsInShell reports whether the client is started from a shell, whose PATH and
// variables it has.
func startsInShell(key string) bool {
	c, _ := clienttable.Find(key)
	return c.Shell
}

// appliesTo reports whether a finding can concern the client: it is the only one that is
// checked, or all are.
func appliesTo(c clienttable.Client, only string) bool { return only == "" || only == c.Key }

// clientKeys returns the sorted keys of the clients for which holds returns true.
func clientKeys(holds func(clienttable.Client) bool) (keys []string) {
	for _, c := range clienttable.All() {
		if holds(c) {
			keys = append(keys, c.Key)
		}
	}
	slices.Sort(keys)
	return keys
}

// alwaysUses selects the clients that send every schema to one of those APIs.
func alwaysUses(apis ...clienttable.API) func(clienttable.Client) bool {
	return func(c clienttable.Client) bool { return slices.Contains(apis, c.Models.Always) }
}

// canUse selects the clients that send schemas to that API, always or if the user chooses
// it.
func canUse(api clienttable.API) func(clienttable.Client) bool {
	return func(c clienttable.Client) bool {
		return c.Models.Always == api || slices.Contains(c.Models.Choice, api)
	}
}

func itemsRequired(c clienttable.Client) bool { return c.ItemsRequired }

// refusedBy says which clients refuse a tool.
func refusedBy(by func(clienttable.Client) bool) string {
	var titles []string
	for _, key := range clientKeys(by) {
		titles = append(titles, clientTitle(key))
	}
	if len(titles) == 1 {
		return titles[0] + " refuses the tool"
	}
	return joinAnd(titles) + " refuse the tool"
}

// joinAnd joins items with commas and a last "and".
func joinAnd(items []string) string {
	if len(items) < 2 {
		return strings.Join(items, "")
	}
	last := len(items) - 1
	return strings.Join(items[:last], ", ") + " and " + items[last]
}

// NameRule says which tool names a client accepts.
type NameRule struct {
	Client  string                   // key
	Problem func(name string) string // why the client refuses a name; "" if it does not
}

// checkNames reports tools whose name a client refuses, and tools that a client sees under
// another name than key__tool.
func checkNames(servers []Server, rules []NameRule, client string) []Finding {
	refused := Finding{
		Kind: NameRefused, Severity: Error,
		Fix: "leave --separator out: then each client sees names that it takes",
	}
	changed := Finding{
		Kind: NameChanged, Severity: Note,
		Fix: noAction + ", a call under either name arrives",
	}
	if client == "" {
		changed.Fix += "; check --client CLIENT shows all names"
	}
	for _, tool := range toolsOf(servers) {
		for i, rule := range rules {
			if client != "" && client != rule.Client {
				continue
			}
			shown := tool.Shown[i]
			if problem := rule.Problem(shown); problem != "" {
				refused.addTool(rule, tool, fmt.Sprintf("%s refuses the name %q: %s", clientTitle(rule.Client), shorten(shown), problem))
			} else if shown != tool.Server+"__"+tool.OriginalName && rule.Problem(tool.Name) != "" {
				changed.addTool(rule, tool, fmt.Sprintf("%s does not take its name, and sees %q instead", clientTitle(rule.Client), shorten(shown)))
			}
		}
	}
	return slices.DeleteFunc([]Finding{refused, changed}, func(f Finding) bool { return f.Tools == nil })
}

func toolsOf(servers []Server) (tools []Tool) {
	for _, s := range servers {
		tools = append(tools, s.Tools...)
	}
	return tools
}

// addTool adds a tool and a client to the finding. what describes the first tool.
func (f *Finding) addTool(rule NameRule, tool Tool, what string) {
	if f.Tools == nil {
		f.Where, f.What = tool.Name, what
	}
	if !slices.Contains(f.Clients, rule.Client) {
		f.Clients = append(f.Clients, rule.Client)
	}
	if len(f.Tools) == 0 || f.Tools[len(f.Tools)-1] != tool.Name { // tools come in order
		f.Tools = append(f.Tools, tool.Name)
	}
}
