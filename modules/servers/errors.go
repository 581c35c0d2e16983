package servers

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// ErrStopping is returned for a call that was not executed because the service is
// stopping.
var ErrStopping = errors.New("the service is stopping: the call was not executed")

// BusyError is returned for a request whose body exceeds the memory that all bodies share.
type BusyError struct{}

func (*BusyError) Error() string {
	return "the bodies of other requests leave no room for this one: send it again later"
}

// StoreError is returned when the database fails.
type StoreError struct{ Err error }

func (e *StoreError) Error() string { return "the database: " + e.Err.Error() }

// Unwrap returns the error of the database.
func (e *StoreError) Unwrap() error { return e.Err }

// UnknownToolError is returned for a call of a tool that no server has.
type UnknownToolError struct {
	Name    string
	Nearest []string // similar names
	Hint    string   // the end of the message; may be empty
}

func (e *UnknownToolError) Error() string { return fmt.Sprintf("unknown tool %q%s", e.Name, e.Hint) }

// AmbiguousError is returned for a call by an original name that several servers use.
type AmbiguousError struct {
	Name       string
	Candidates []string // the namespaced names
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%q is a tool of several servers: call one of %s", e.Name, strings.Join(e.Candidates, ", "))
}

// UnavailableError is returned for a call that was certainly not executed: its server is
// not connected or, if its Status is live, did not accept the call.
type UnavailableError struct {
	Server string // its name
	Status Status
	Reason string // the record's error; may be empty
	// Waited is how long the call waited for the server to be connected. Next is the time
	// from then until the next attempt, or zero if one is under way.
	Waited, Next time.Duration
}

func (e *UnavailableError) Error() string {
	if e.Status.Live() {
		return fmt.Sprintf("server %q did not take the call: %s", e.Server, e.Reason)
	}
	text := fmt.Sprintf("server %q is not connected: its status is %s", e.Server, e.Status)
	if e.Reason != "" {
		text += ": " + e.Reason
	}
	if e.Waited > 0 {
		text += fmt.Sprintf("; the call waited %v, and the service goes on connecting it: ", e.Waited)
		if e.Next > 0 {
			return text + fmt.Sprintf("the next attempt is in %v", max(e.Next.Round(100*time.Millisecond), 100*time.Millisecond))
		}
		return text + "an attempt is under way"
	}
	return text
}

// RPCError is returned for a call that the server answered with a JSON-RPC error.
type RPCError struct {
	Server string // its name
	Raw    []byte // the error object, verbatim
}

func (e *RPCError) Error() string {
	return fmt.Sprintf("server %q answered with an error", e.Server)
}

// LostError is returned for a call that the server may have executed, but whose response
// is lost.
type LostError struct {
	Server string // its name
	Reason string
}

func (e *LostError) Error() string {
	return fmt.Sprintf("server %q: %s: whether the call was executed is unknown", e.Server, e.Reason)
}
