package clienttable

import (
	"slices"
	"time"
)

// Client is what is known of one MCP client. Zero members are not known.
type Client struct {
	// Key is what --client takes: the name of the program in lower case.
	Key string
	// Title is the client's name as its maker writes it.
	Title string
	// Names are those that the client gives itself (clientInfo.name of initialize), as
	// they were seen: in a log of its messages, or in a collection such as the npm
	// package mcp-client-capabilities. A name is compared as a whole.
	Names []string
	// Naming is which names of tools the client accepts; nil if that is not known, or
	// it accepts any. It needs Names.
	Naming *NamingRule
	// Shell tells that a shell starts the client: servers have its PATH and variables.
	Shell bool
	// Models are those that the client gives the schemas of tools to.
	Models Models
	// ItemsRequired tells that the client refuses a tool whose inputSchema has an
	// array without "items". Such checks of its own are in its issues.
	ItemsRequired bool
	// Limits are how much the client takes.
	Limits Limits
	// Config is where the client keeps its servers; nil if that is not known, or it is
	// a format that config/clients does not edit.
	Config *Config
}

// API is a model vendor's interface. It refuses requests with schemas that it does not
// understand, which modules/doctor has a table of.
type API string

// The APIs of which it is known what they refuse.
const (
	ClaudeAPI API = "Claude"
	OpenAIAPI API = "OpenAI"
	GeminiAPI API = "Gemini"
)

// Models are whose models a client uses, by the settings that it documents.
type Models struct {
	// Always is the API that all its requests go to; "" if the user chooses.
	Always API
	// Choice are APIs that the user can choose from; there may be others.
	Choice []API
}

// Limits are how much a client takes before it refuses, leaves out or warns. They are
// in its documentation, or in issues of users who met them; Sources has one for each.
type Limits struct {
	Tools     int           // how many tools of all servers together
	Tokens    int           // of the tools' definitions, beyond which it warns
	StartTime time.Duration // how long it waits for a server that it starts itself
	Sources   []string
}

// All returns every client, in the order in which messages and documents have them.
// What the rows refer to must not be changed.
func All() []Client { return slices.Clone(table) }

// Find returns the client with that key.
func Find(key string) (Client, bool) {
	return firstWhere(func(c Client) bool { return c.Key == key })
}

// Named returns the client that gives itself that name (clientInfo.name), however
// similar those of others are.
func Named(name string) (Client, bool) {
	return firstWhere(func(c Client) bool { return slices.Contains(c.Names, name) })
}

func firstWhere(is func(Client) bool) (Client, bool) {
	if i := slices.IndexFunc(table, is); i >= 0 {
		return table[i], true
	}
	return Client{}, false
}
