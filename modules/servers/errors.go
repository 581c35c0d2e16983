package servers

import (
	"fmt"
	"strings"
)

// UnknownToolError is a call of a tool that no server has.
type UnknownToolError struct{ Name string }

func (e *UnknownToolError) Error() string { return fmt.Sprintf("unknown tool %q", e.Name) }

// AmbiguousError is a call by an original name that several servers have.
type AmbiguousError struct {
	Name       string
	Candidates []string // the namespaced names
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%q is a tool of several servers: call one of %s", e.Name, strings.Join(e.Candidates, ", "))
}

// UnavailableError is a call to a server that is not connected.
type UnavailableError struct {
	Server string // its name
	Status Status
	Reason string // the record's error; may be empty
}

func (e *UnavailableError) Error() string {
	text := fmt.Sprintf("server %q is not connected: its status is %s", e.Server, e.Status)
	if e.Reason != "" {
		text += ": " + e.Reason
	}
	return text
}

// RefusedError is the JSON-RPC error that a server answered a call with.
type RefusedError struct {
	Server string // its name
	Raw    []byte // the error object, verbatim
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("server %q answered with an error", e.Server)
}

// LostError is a call that the server may have executed, and whose answer will
// never come.
type LostError struct {
	Server string // its name
	Reason string
}

func (e *LostError) Error() string {
	return fmt.Sprintf("server %q: %s: whether the call was executed is unknown", e.Server, e.Reason)
}
