package doctor

import (
	"encoding/json"
	"time"
)

// Input is all that is known.
type Input struct {
	Servers []Server // in the order of the file
	Empty   bool     // the file has none, disabled ones included
	Machine Machine
	Rules   []NameRule
	Client  string // key of the only client to judge for; empty for all
	// Wait is how long tools/list waits for servers that are starting.
	Wait time.Duration
	// Patterns are those of --allow and --deny that match no tool of a server.
	Patterns []Pattern
}

// Server is one server of the file.
type Server struct {
	Key   string
	Place string // in the file, such as mcpServers.github
	// Command is the program as the file has it; empty if variables are in it,
	// because what they stand for must not be shown.
	Command string
	Now     string // the PATH that it is looked up on now
	Desktop string // the PATH that it would be looked up on under a desktop application
	OwnPath bool   // its env sets PATH
	Missing []Variable
	Failure *Failure // why it does not run; nil if it does, or was stopped
	Running bool
	Ready   time.Duration // from the handshake to the last page of tools; 0 unless Running
	Tools   []Tool
}

// Failure is why a server does not run, in texts that are redacted and have no
// control characters.
type Failure struct {
	Symptom Symptom
	Reason  string
	Exit    string // such as "exit status 7"; empty unless it ended by itself
	Stderr  string // the last lines of its standard error
}

// Symptom says what a failure looks like from outside.
type Symptom int

// The symptoms: it could not be started; it started, and ended by itself; it did
// not answer in time; and it answered something else than an MCP server does.
const (
	NotStarted Symptom = iota
	Ended
	Silent
	Malformed
)

// Pattern is a glob of the command line.
type Pattern struct {
	Flag string // --allow or --deny
	Text string
}

// Variable is an environment variable that the file asks for and that is set
// now, but not for a desktop application.
type Variable struct {
	Name  string
	Where string // in the file, such as mcpServers.github.env.TOKEN
}

// Tool is one tool of a server.
type Tool struct {
	Name         string   // canonical, such as github:search
	Server       string   // configuration key
	OriginalName string   // the server's own name for it
	Shown        []string // the names that clients see, in the order of Input.Rules
	Definition   []byte   // raw JSON, with any name
}

// Machine is what the checks may ask of the computer.
type Machine struct {
	// LookPath returns the absolute path of a program on a PATH, "" if it is not there.
	LookPath func(command, path string) string
	// Interpreter returns the program that a script's first line has looked up
	// on the PATH ("#!/usr/bin/env node" is node), "" if there is none.
	Interpreter func(file string) string
}

// definition is a tool taken apart.
type definition struct {
	Tool
	position    int // among the tools of its server, from 1
	description string
	schemas     map[string]any // by member: inputSchema, outputSchema; what is absent is absent
	undecoded   bool           // it nests deeper than the decoder follows
}

// decodeTools returns tools taken apart.
func decodeTools(tools []Tool) []definition {
	list := make([]definition, len(tools))
	for i, tool := range tools {
		list[i] = definition{Tool: tool, position: i + 1, schemas: make(map[string]any)}
		var members map[string]json.RawMessage
		if json.Unmarshal(tool.Definition, &members) != nil {
			list[i].undecoded = true
			continue
		}
		_ = json.Unmarshal(members["description"], &list[i].description) // a description that is no text is none
		for _, member := range []string{inputMember, outputMember} {
			var schema any
			if raw, ok := members[member]; ok && json.Unmarshal(raw, &schema) == nil {
				list[i].schemas[member] = schema
			}
		}
	}
	return list
}

// The members of a tool's definition that are schemas.
const inputMember, outputMember = "inputSchema", "outputSchema"
