package lean

import (
	"context"

	"mcp-aggregator/modules/wire"
)

// Catalogue is what the lean mode reads: the tools behind it, as one client sees them. Its
// methods return at once but for Search, which ends with its context.
type Catalogue interface {
	// Search returns the best tools for a query, the best first, at most limit of them;
	// of all servers, or of those that are named.
	Search(ctx context.Context, query string, limit int, servers []string) ([]Hit, error)
	// Lookup returns the tool that the client may call by that name.
	Lookup(name string) (Tool, Presence)
	// Nearest returns the names of tools that are written almost like name.
	Nearest(name string) []string
	// Servers returns the servers that are connected, in any order.
	Servers() []Server
}

// Presence is what a [Catalogue] knows of a name.
type Presence uint8

// What a Catalogue may know of a name.
const (
	Absent   Presence = iota // no tool has it
	Listed                   // a tool has it
	Unlisted                 // it may be one of a server that is starting or out of reach: a call is passed on, for the caller to judge
)

// Tool is one tool.
type Tool struct {
	Name       string // what the client calls it by
	Definition []byte // JSON as its server wrote it, under any name
}

// Hit is a tool that answers a query.
type Hit struct {
	Tool

	Score float64  // from 0 to 1
	Risks []string // labels beside those of the annotations, such as "deletes files"
}

// Server is what is known of a server.
type Server struct {
	Name         string
	Title        string
	Description  string
	Instructions string
	Tools        int   // how many it has; one without is not shown
	Hints        Hints // of all its tools
}

// purpose is what the server is for, on one line.
func (s Server) purpose() string {
	for _, text := range []string{s.Description, s.Instructions, s.Title} {
		if summary := Summary(text); summary != "" {
			return summary
		}
	}
	return ""
}

// Hints are the annotations that say what a call may do (2025-11-25, schema,
// ToolAnnotations).
type Hints struct{ ReadOnly, Destructive, OpenWorld bool }

// HintsOf returns the hints of a definition, with the specification's defaults for those
// that it does not have. A tool that only reads is never destructive.
func HintsOf(definition []byte) Hints {
	annotations := wire.Member(definition, "annotations").Of(definition)
	is := func(name string, otherwise bool) bool {
		switch string(wire.Member(annotations, name).Of(annotations)) {
		case "true":
			return true
		case "false":
			return false
		}
		return otherwise
	}
	readOnly := is("readOnlyHint", false)
	return Hints{readOnly, !readOnly && is("destructiveHint", true), is("openWorldHint", true)}
}

// Combined returns the hints of a call that may be of any of the tools with these: it only
// reads if all do, and destroys or reaches the open world if one does. Without any, they
// are the defaults.
func Combined(all ...Hints) Hints {
	if len(all) == 0 {
		return HintsOf(nil)
	}
	c := Hints{ReadOnly: true}
	for _, h := range all {
		c.ReadOnly = c.ReadOnly && h.ReadOnly
		c.Destructive = c.Destructive || h.Destructive
		c.OpenWorld = c.OpenWorld || h.OpenWorld
	}
	return c
}

// inputSchema returns the schema of the tool's arguments, nil if it has none.
func (t Tool) inputSchema() []byte {
	return wire.Member(t.Definition, "inputSchema").Of(t.Definition)
}

// description returns the tool's description, or its title.
func (t Tool) description() string {
	for _, name := range []string{"description", "title"} {
		if text, _ := wire.Unquote(wire.Member(t.Definition, name).Of(t.Definition)); text != "" {
			return text
		}
	}
	return ""
}

// labels are the hints that the server has written itself: defaults say nothing.
func (t Tool) labels() (labels []string) {
	annotations := wire.Member(t.Definition, "annotations").Of(t.Definition)
	hints := HintsOf(t.Definition)
	switch {
	case hints.ReadOnly:
		labels = append(labels, "read-only")
	case hints.Destructive && wire.Member(annotations, "destructiveHint").Present():
		labels = append(labels, "destructive")
	}
	return labels
}
