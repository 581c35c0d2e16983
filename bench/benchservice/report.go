package main

import "mcp-aggregator/bench/report"

// Paths to a server.
const (
	Direct = "the stdio child, without a gateway"
	Plain  = "a plain HTTP server"
	Stdio  = "/mcp to a stdio child"
	REST   = "REST to a stdio child"
	HTTP   = "/mcp to a streamable HTTP server"
	SSE    = "/mcp to an SSE server"
	Typed  = "a gateway of the SDK's types to a stdio child"
)

// ways lists the paths in the order of the table.
func ways() []string { return []string{Direct, Plain, Stdio, REST, HTTP, SSE, Typed} }

// flights are the numbers of concurrent calls.
func flights() []int { return []int{64, 1} }

// Report holds the measurements of one run, and is the format of the JSON file. A stage
// that did not run is empty.
type Report struct {
	Machine   report.Machine  `json:"machine"`
	Rounds    int             `json:"rounds"`
	Steady    float64         `json:"steadySeconds"`
	Calls     []*Call         `json:"calls"`
	Scale     *Scale          `json:"scale"`
	Discovery *Discovery      `json:"discovery"`
	Search    []*Search       `json:"search"`
	Targets   []report.Target `json:"targets"`
}

// Call holds measurements of calls on one path with a number of concurrent calls:
// throughput, and in microseconds the latency and the processor time of the program
// between driver and server (or of the server, if there is none).
type Call struct {
	Way       string         `json:"way"`
	Flight    int            `json:"flight"`
	PerSecond report.Samples `json:"perSecond"`
	P50       report.Samples `json:"p50"`
	P99       report.Samples `json:"p99"`
	CPU       report.Samples `json:"cpu"`
}

// call returns the measurements of a path. They have no samples if the stage did not run.
func (r *Report) call(way string, flight int) *Call {
	for _, c := range r.Calls {
		if c.Way == way && c.Flight == flight {
			return c
		}
	}
	return &Call{Way: way, Flight: flight}
}

// Scale holds measurements of the service with 50 servers and 10,000 tools: times in
// milliseconds, the first two since exec, and resident memory in megabytes (2^20 bytes).
type Scale struct {
	Listening float64        `json:"listening"`
	Connected float64        `json:"connected"` // to all servers
	ListMCP   report.Samples `json:"listMCP"`   // tools/list
	ListREST  report.Samples `json:"listREST"`  // GET /tools
	Idle      float64        `json:"idleMB"`
	Listed    float64        `json:"listedMB"` // after the lists
	During    float64        `json:"duringMB"` // maximum during calls
	After     float64        `json:"afterMB"`
	Lanes     []Lane         `json:"lanes"`
}

// Lane holds measurements of calls at a fixed rate, in milliseconds.
type Lane struct {
	Way       string  `json:"way"`
	Calls     int     `json:"calls"`
	PerSecond float64 `json:"perSecond"`
	Errors    int     `json:"errors"`
	Error     string  `json:"error,omitempty"` // the first
	P50       float64 `json:"p50"`
	P99       float64 `json:"p99"`
	Max       float64 `json:"max"`
	Routing50 float64 `json:"routing50,omitempty"` // routing_time_ms
	Routing99 float64 `json:"routing99,omitempty"`
}

// lane returns the named lane.
func (s *Scale) lane(way string) Lane {
	for _, l := range s.Lanes {
		if l.Way == way {
			return l
		}
	}
	return Lane{Way: way}
}

// Discovery holds times of registrations since the POST, in milliseconds.
type Discovery struct {
	Answered     report.Samples `json:"answered"` // of a server with 1,000 tools
	Listed       report.Samples `json:"listed"`   // connected, and its tools listed
	Slowest      float64        `json:"slowest"`  // slowest answer for 20 servers registered at once, over all rounds
	AllConnected report.Samples `json:"allConnected"`
}

// Search is searches over REST at one scale: times in milliseconds, CPU in microseconds of
// the service's processor time a search, memory as in Scale.
type Search struct {
	Servers   int            `json:"servers"`
	Tools     int            `json:"tools"`
	P50       report.Samples `json:"p50"` // one at a time
	P99       report.Samples `json:"p99"`
	PerSecond report.Samples `json:"perSecond"` // 64 at once
	CPU       report.Samples `json:"cpu"`
	Idle      float64        `json:"idleMB"`
	After     float64        `json:"afterMB"`
}
