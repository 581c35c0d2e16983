package clients

import "mcp-aggregator/config/clienttable"

// Client is an MCP client whose files can be read and edited.
type Client struct {
	Key   string // as --client takes it
	Title string // as its maker writes it

	clienttable.Config
}

// All returns every client whose files are known, in the order in which they are
// imported.
//
// A file may be elsewhere when a client is started with an option of its own;
// --client-file and FILE are for that.
func All() (all []Client) {
	for _, c := range clienttable.All() {
		if c.Config != nil {
			all = append(all, Client{c.Key, c.Title, *c.Config})
		}
	}
	return all
}

// Find returns the client with that key.
func Find(key string) (Client, bool) {
	for _, c := range All() {
		if c.Key == key {
			return c, true
		}
	}
	return Client{}, false
}
