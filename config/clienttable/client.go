package clienttable

import (
	"slices"
	"time"
)

// Client has the known facts about one MCP client. A zero field means not known.
type Client struct {
	// Key is the value of --client: the name of the program in lower case.
	Key string
	// Title is the client's name as its maker writes it.
	Title string
	// Names are the values of clientInfo.name that the client sends in initialize, from
	// a log of its messages or a collection such as the npm package
	// mcp-client-capabilities. Names are compared exactly.
	Names []string
	// Naming is the rule for tool names; nil if it is not known or any name is
	// accepted. It requires Names.
	Naming *NamingRule
	// Shell reports that the client is started from a shell, so that servers inherit
	// the PATH and the variables of the shell.
	Shell bool
	// Models are the models that the client sends the schemas of tools to.
	Models Models
	// ItemsRequired reports that the client rejects a tool whose inputSchema has an
	// array without "items". The source is the client's issue tracker.
	ItemsRequired bool
	// Limits are the limits of the client.
	Limits Limits
	// Config describes the file with the client's servers; nil if it is not known or
	// config/clients does not support its format.
	Config *Config
}

// API is the API of a model vendor. It rejects requests with schemas that it does not
// support; modules/doctor has a table of these.
type API string

// The APIs with known restrictions.
const (
	ClaudeAPI API = "Claude"
	OpenAIAPI API = "OpenAI"
	GeminiAPI API = "Gemini"
)

// Models says which models a client uses, according to its documentation.
type Models struct {
	// Always is the API that all its requests go to; "" if the user chooses.
	Always API
	// Choice has APIs that the user can choose from; there may be others.
	Choice []API
}

// Limits are the amounts above which a client rejects tools, leaves them out or warns.
// The sources are its documentation or issues of its users, one for each limit.
type Limits struct {
	Tools     int           // number of tools of all servers together
	Tokens    int           // tokens of the tools' definitions, above which it warns
	StartTime time.Duration // how long it waits for a stdio server to start
	Sources   []string
}

// All returns every client, in the order of messages and documents. The caller must not
// modify what the rows refer to.
func All() []Client { return slices.Clone(table) }

// Find returns the client with that key.
func Find(key string) (Client, bool) {
	return firstWhere(func(c Client) bool { return c.Key == key })
}

// Named returns the client with exactly that clientInfo.name.
func Named(name string) (Client, bool) {
	return firstWhere(func(c Client) bool { return slices.Contains(c.Names, name) })
}

func firstWhere(is func(Client) bool) (Client, bool) {
	if i := slices.IndexFunc(table, is); i >= 0 {
		return table[i], true
	}
	return Client{}, false
}
