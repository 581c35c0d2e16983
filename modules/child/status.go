package child

import (
	"time"

	"mcp-aggregator/modules/mcpclient"
	"mcp-aggregator/modules/redact"
)

// State is the state of a child.
type State string

// A child starts as Initializing and becomes Running; from either it becomes Failed (by
// itself) or Stopped (by Stop or Kill).
const (
	Initializing State = "initializing"
	Running      State = "running"
	Failed       State = "failed"
	Stopped      State = "stopped"
)

// Phase is the phase in which a child failed.
type Phase string

// The phases: starting the process; from the handshake to the last page of
// tools; and everything after.
const (
	Startup        Phase = "startup"
	Initialization Phase = "initialization"
	Runtime        Phase = "runtime"
)

// Status is an immutable snapshot of one child.
type Status struct {
	Key   string // configuration key
	State State
	Tools int           // tools listed; 0 unless running
	Ready time.Duration // from the start of the handshake to the last page of tools; 0 until then
	Err   *Error        // why it failed; nil unless failed

	// Info is what the child said of itself when it was initialized. It is known
	// before its tools are, and kept until it fails or is stopped.
	Info mcpclient.ServerInfo
}

// Settled reports whether the child has left Initializing.
func (s Status) Settled() bool { return s.State != Initializing }

func (s Status) ended() bool { return s.State == Failed || s.State == Stopped }

// Error is the failure of one child. Its texts, all but the key, are redacted
// and have no control characters.
type Error struct {
	Key    string
	Phase  Phase
	Reason string
	Exit   string // such as "exit status 7" or "signal: killed"; empty when it did not exit by itself
	Stderr string // the last lines of its standard error
	Late   bool   // it was ended because it did not become ready in time
}

func (e *Error) Error() string {
	return "server " + redact.Printable(e.Key, tailLineSize) + ": " + string(e.Phase) + ": " + e.Why()
}

// Why is the reason together with the exit status, if there is one.
func (e *Error) Why() string {
	if e.Exit == "" {
		return e.Reason
	}
	return e.Reason + " (" + e.Exit + ")"
}
