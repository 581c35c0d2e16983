package lean

import (
	"context"

	"mcp-aggregator/modules/wire"
)

// Catalogue provides the tools behind lean mode, as one client sees them. Its methods
// return immediately, except Search, which returns when its context ends.
type Catalogue interface {
	// Search returns the best matches for a query, best first, at most limit of them. If
	// servers is not empty, only their tools are searched.
	Search(ctx context.Context, query string, limit int, servers []string) ([]Hit, error)
	// Lookup returns the tool that the client may call by name.
	Lookup(name string) (Tool, Presence)
	// Nearest returns the names of tools that are spelled like name.
	Nearest(name string) []string
	// Servers returns the connected servers, in any order.
	Servers() []Server
}

// Presence is what a [Catalogue] knows about a name.
type Presence uint8

// Values of Presence.
const (
	Absent   Presence = iota // no tool has this name
	Listed                   // a tool has this name
	Unlisted                 // it may belong to a server that is starting or unreachable: the call is forwarded and the caller decides
)

// Tool is a tool of a server.
type Tool struct {
	Name       string // public name, which the client uses
	Definition []byte // JSON as the server wrote it; its name may differ
}

// Hit is a tool that matches a query.
type Hit struct {
	Tool

	Score float64  // from 0 to 1
	Risks []string // labels in addition to the annotations, such as "deletes files"
}

// Server describes a connected server.
type Server struct {
	Name         string
	Title        string
	Description  string
	Instructions string
	Tools        int   // number of tools; a server without tools is not shown
	Hints        Hints // combined hints of its tools
}

// purpose returns what the server is for, on one line.
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

// HintsOf returns the hints of a definition, using the specification's defaults for missing
// ones. A read-only tool is never destructive.
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

// Combined returns the hints of a call that may reach any of the tools with the given
// hints: read-only if all are, destructive or open-world if any is. Without hints it
// returns the defaults.
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

// inputSchema returns the schema of the tool's arguments, or nil.
func (t Tool) inputSchema() []byte {
	return wire.Member(t.Definition, "inputSchema").Of(t.Definition)
}

// description returns the tool's description, or else its title.
func (t Tool) description() string {
	for _, name := range []string{"description", "title"} {
		if text, _ := wire.Unquote(wire.Member(t.Definition, name).Of(t.Definition)); text != "" {
			return text
		}
	}
	return ""
}

// labels returns the hints that the server set explicitly: defaults carry no information.
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
