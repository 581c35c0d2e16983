package main

import "mcp-aggregator/bench/report"

// The ways to a server.
const (
	Direct = "the stdio child, without a gateway"
	Plain  = "a plain HTTP server"
	Stdio  = "/mcp to a stdio child"
	REST   = "REST to a stdio child"
	HTTP   = "/mcp to a streamable HTTP server"
	SSE    = "/mcp to an SSE server"
	Typed  = "a gateway of the SDK's types to a stdio child"
)

// ways are all of them, in the order of the table.
func ways() []string { return []string{Direct, Plain, Stdio, REST, HTTP, SSE, Typed} }

// flights are how many calls are open at once.
func flights() []int { return []int{64, 1} }

// Report is what one run measured; a stage that did not run is empty. It is the JSON
// file.
type Report struct {
	Machine   report.Machine  `json:"machine"`
	Rounds    int             `json:"rounds"`
	Steady    float64         `json:"steadySeconds"`
	Calls     []*Call         `json:"calls"`
	Scale     *Scale          `json:"scale"`
	Discovery *Discovery      `json:"discovery"`
	Targets   []report.Target `json:"targets"`
}

// Call is calls on one way with so many open at once: their throughput, and in
// microseconds their latency and the processor time of the program in the middle (of
// the server, where there is none).
type Call struct {
	Way       string         `json:"way"`
	Flight    int            `json:"flight"`
	PerSecond report.Samples `json:"perSecond"`
	P50       report.Samples `json:"p50"`
	P99       report.Samples `json:"p99"`
	CPU       report.Samples `json:"cpu"`
}

// call finds what was measured of a way. Nothing was, if it has no samples.
func (r *Report) call(way string, flight int) *Call {
	for _, c := range r.Calls {
		if c.Way == way && c.Flight == flight {
			return c
		}
	}
	return &Call{Way: way, Flight: flight}
}

// Scale is the service with 50 servers and 10,000 tools: times in milliseconds, from
// exec for the first two; memory in megabytes (2^20 bytes) that are resident.
type Scale struct {
	Listening float64        `json:"listening"`
	Connected float64        `json:"connected"` // to all servers
	ListMCP   report.Samples `json:"listMCP"`   // tools/list
	ListREST  report.Samples `json:"listREST"`  // GET /tools
	Idle      float64        `json:"idleMB"`
	Listed    float64        `json:"listedMB"` // after the lists
	During    float64        `json:"duringMB"` // the most while calls were made
	After     float64        `json:"afterMB"`
	Lanes     []Lane         `json:"lanes"`
}

// Lane is calls at a fixed rate; times in milliseconds.
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

// lane finds a lane.
func (s *Scale) lane(way string) Lane {
	for _, l := range s.Lanes {
		if l.Way == way {
			return l
		}
	}
	return Lane{Way: way}
}

// Discovery is times of registrations in milliseconds, from right before the POST.
type Discovery struct {
	Answered     report.Samples `json:"answered"` // of a server with 1,000 tools
	Listed       report.Samples `json:"listed"`   // connected, and its tools listed
	Slowest      float64        `json:"slowest"`  // answer to one of 20 that were registered at once, of all rounds
	AllConnected report.Samples `json:"allConnected"`
}
