package doctor

import (
	"encoding/json"
	"time"
)

// Input is what the checks examine.
type Input struct {
	Servers []Server // in the order of the file
	Empty   bool     // the file has no servers, not even disabled ones
	Machine Machine
	Rules   []NameRule
	Client  string // key of the only client to check; empty for all
	// Wait is how long tools/list waits for servers that are starting.
	Wait time.Duration
	// Patterns are those of --allow, --deny and --pin that match no tool of a server.
	Patterns []Pattern
	Lean     bool   // the client's list does not have the tools of all servers
	Listed   []Tool // what it has, if Lean
}

// Server is one server of the file.
type Server struct {
	Key   string
	Place string // in the file, such as mcpServers.github
	// Command is the program as it stands in the file. It is empty if it contains
	// variables, whose values must not be shown.
	Command string
	Now     string // the PATH now
	Desktop string // the PATH under a desktop application
	OwnPath bool   // whether its env sets PATH
	Missing []Variable
	Failure *Failure // why it does not run; nil if it does, or was stopped
	Running bool
	Ready   time.Duration // from the handshake to the last page of tools; 0 unless Running
	Tools   []Tool
}

// Failure is why a server does not run. Its texts are redacted and have no control
// characters.
type Failure struct {
	Symptom Symptom
	Reason  string
	Exit    string // such as "exit status 7"; empty unless it ended by itself
	Stderr  string // the last lines of its standard error
}

// Symptom is how a failure appears from outside.
type Symptom int

// The symptoms: the server could not be started; it started and ended by itself; it did
// not answer in time; it did not answer as an MCP server does.
const (
	NotStarted Symptom = iota
	Ended
	Silent
	Malformed
)

// Pattern is a glob of the command line.
type Pattern struct {
	Flag string // --allow, --deny or --pin
	Text string
}

// Variable is an environment variable that the file refers to, and that is set now but not
// for a desktop application.
type Variable struct {
	Name  string
	Where string // in the file, such as mcpServers.github.env.TOKEN
}

// Tool is one tool of a server.
type Tool struct {
	Name         string   // canonical, such as github:search
	Server       string   // configuration key
	OriginalName string   // the name that the server uses
	Shown        []string // the names that clients see, in the order of Input.Rules
	Definition   []byte   // raw JSON, with any name
}

// Machine has the functions through which the checks access the computer.
type Machine struct {
	// LookPath returns the absolute path of a program on a PATH, or "".
	LookPath func(command, path string) string
	// Interpreter returns the program that the first line of a script looks up on the PATH
	// ("#!/usr/bin/env node" is node), or "".
	Interpreter func(file string) string
}

// definition is a decoded tool.
type definition struct {
	Tool
	position    int // in the server's list, from 1
	description string
	schemas     map[string]any // by member: inputSchema, outputSchema
	undecoded   bool           // it nests too deep to decode
}

// decodeTools returns the decoded tools.
func decodeTools(tools []Tool) []definition {
	list := make([]definition, len(tools))
	for i, tool := range tools {
		list[i] = definition{Tool: tool, position: i + 1, schemas: make(map[string]any)}
		var members map[string]json.RawMessage
		if json.Unmarshal(tool.Definition, &members) != nil {
			list[i].undecoded = true
			continue
		}
		_ = json.Unmarshal(members["description"], &list[i].description) // ignores a description that is not a string
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
