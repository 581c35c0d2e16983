package doctor

import (
	"slices"
	"strings"

	"mcp-aggregator/config/clienttable"
)

// titleOf is the name of a client for people.
func titleOf(key string) string {
	c, _ := clienttable.Find(key)
	return c.Title
}

// inShell reports whether a shell starts the client, with its PATH and variables.
func inShell(key string) bool {
	c, _ := clienttable.Find(key)
	return c.Shell
}

// concerns reports whether a finding may be about a client: the only one to judge
// for, or any.
func concerns(c clienttable.Client, only string) bool { return only == "" || only == c.Key }

// keysOf returns the keys of the clients that something holds for, sorted.
func keysOf(holds func(clienttable.Client) bool) (keys []string) {
	for _, c := range clienttable.All() {
		if holds(c) {
			keys = append(keys, c.Key)
		}
	}
	slices.Sort(keys)
	return keys
}

// always selects the clients that give every schema to one of those APIs.
func always(apis ...clienttable.API) func(clienttable.Client) bool {
	return func(c clienttable.Client) bool { return slices.Contains(apis, c.Models.Always) }
}

// canUse selects the clients that give schemas to that API, always or if the user
// chooses it.
func canUse(api clienttable.API) func(clienttable.Client) bool {
	return func(c clienttable.Client) bool {
		return c.Models.Always == api || slices.Contains(c.Models.Choice, api)
	}
}

func itemsRequired(c clienttable.Client) bool { return c.ItemsRequired }

// refusal says which clients refuse a tool.
func refusal(by func(clienttable.Client) bool) string {
	var titles []string
	for _, key := range keysOf(by) {
		titles = append(titles, titleOf(key))
	}
	if len(titles) == 1 {
		return titles[0] + " refuses the tool"
	}
	return enumerate(titles) + " refuse the tool"
}

// enumerate joins with commas and a last "and".
func enumerate(items []string) string {
	if len(items) < 2 {
		return strings.Join(items, "")
	}
	last := len(items) - 1
	return strings.Join(items[:last], ", ") + " and " + items[last]
}
