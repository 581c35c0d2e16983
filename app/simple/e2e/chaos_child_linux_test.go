package e2e_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"mcp-aggregator/testutil"
)

// chaosChild is a child of the chaos test. It picks what it does from initializeBehaviors,
// callBehaviors and spontaneousBehaviors; a well-behaved one only answers.
type chaosChild struct {
	key         string
	wellBehaved bool
	readRand    *rand.Rand // of the goroutine that reads
	actRand     *rand.Rand // of the goroutine of actSpontaneously

	writeMu sync.Mutex // one line at a time
	readMu  sync.Mutex // held while it does not read

	mu       sync.Mutex
	tools    string
	requests int
	open     map[string]bool // the requests that the client has not answered
	answered json.RawMessage // the id of a call that was answered

	grandchildren []*os.Process // of the goroutine of actSpontaneously
}

// behavior is one thing that a child may do; the weight says how often.
type behavior[F any] struct {
	weight int
	name   string
	do     F
}

func pick[F any](random *rand.Rand, behaviors []behavior[F]) behavior[F] {
	total := 0
	for _, h := range behaviors {
		total += h.weight
	}
	n := random.IntN(total)
	for _, h := range behaviors {
		if n -= h.weight; n < 0 {
			return h
		}
	}
	panic("unreachable")
}

// chaosChildConfig is the configuration of a child, passed on in childVariable.
type chaosChildConfig struct {
	key          string
	wellBehaved  bool
	seed         uint64
	round, child int
}

func (p chaosChildConfig) encode() string {
	return fmt.Sprint("chaos ", p.key, " ", p.wellBehaved, " ", p.seed, " ", p.round, " ", p.child)
}

func newChaosChild(config string) *chaosChild {
	var p chaosChildConfig
	if _, err := fmt.Sscan(config, &p.key, &p.wellBehaved, &p.seed, &p.round, &p.child); err != nil {
		panic(err)
	}
	stream := uint64(p.round)<<32 | uint64(p.child)<<1
	return &chaosChild{
		key: p.key, wellBehaved: p.wellBehaved, tools: defaultTools, open: make(map[string]bool),
		readRand: rand.New(rand.NewPCG(p.seed, stream)), actRand: rand.New(rand.NewPCG(p.seed, stream|1)),
	}
}

// run is the main function. It returns the exit code.
func (c *chaosChild) run() int {
	ending := 0
	initialize := (*chaosChild).initialize
	if !c.wellBehaved {
		initialize = pick(c.readRand, initializeBehaviors).do
		if c.readRand.IntN(3) == 0 {
			signal.Ignore(syscall.SIGTERM)
		}
		ending = c.readRand.IntN(3)
		go c.actSpontaneously()
	}
	lines := bufio.NewReaderSize(os.Stdin, 64<<10)
	for {
		c.readMu.Lock()
		c.readMu.Unlock() //nolint:staticcheck // it waits until the lock is free
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		c.handle(line, initialize)
	}
	switch ending {
	case 0:
		return 0
	case 1:
		return 7
	}
	select {} // it ignores the end of its input
}

// actSpontaneously picks one of spontaneousBehaviors several times a second until the
// child ends.
func (c *chaosChild) actSpontaneously() {
	for {
		time.Sleep(time.Duration(20+c.actRand.IntN(280)) * time.Millisecond)
		chosen := pick(c.actRand, spontaneousBehaviors)
		fmt.Fprintln(os.Stderr, chosen.name)
		chosen.do(c)
	}
}

func (c *chaosChild) handle(line []byte, initialize func(*chaosChild, *childMessage)) {
	var m childMessage
	if err := json.Unmarshal(line, &m); err != nil {
		c.reportError("a line that is not JSON-RPC", string(line))
		return
	}
	switch m.Method {
	case "initialize":
		initialize(c, &m)
	case "tools/list":
		c.list(&m)
	case "tools/call":
		c.handleCall(&m)
	case "":
		c.handleResponse(&m)
	}
}

func (c *chaosChild) initialize(m *childMessage) { c.result(m, initializeResult) }

const defaultTools = `[{"name":"echo"},{"name":"other"}]`

func (c *chaosChild) list(m *childMessage) {
	c.mu.Lock()
	tools := c.tools
	c.mu.Unlock()
	c.result(m, `{"tools":`+tools+`}`)
}

// handleCall handles one call, which must be addressed to this child.
func (c *chaosChild) handleCall(m *childMessage) {
	if !strings.HasPrefix(m.text(), c.key+" ") {
		c.reportError("a call for another child", m.text())
	}
	if c.wellBehaved {
		c.respond(m)
		return
	}
	pick(c.readRand, callBehaviors).do(c, m)
}

func (m *childMessage) text() string {
	var s payload
	_ = json.Unmarshal(m.Params.Arguments, &s) // the caller sees an empty text
	return s.Text
}

// handleResponse handles the client's response to a request, whose text is its id.
func (c *chaosChild) handleResponse(m *childMessage) {
	var id string
	_ = json.Unmarshal(m.ID, &id) // an id that is not ours is in no map
	c.mu.Lock()
	open := c.open[id]
	delete(c.open, id)
	c.mu.Unlock()
	if !open || m.Result != nil && m.Result.Text != id {
		c.reportError("a response to no request", fmt.Sprintf("%s %v", m.ID, m.Result))
	}
}

// reportError notifies the client, which fails the test.
func (c *chaosChild) reportError(of, text string) {
	c.writeLine(`{"jsonrpc":"2.0","method":"notifications/wrong","params":{"text":%s}}`, quote(c.key+" got "+of+": "+testutil.Shorten(text)))
}

func (c *chaosChild) result(m *childMessage, result string) {
	c.writeLine(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
}

func (c *chaosChild) respond(m *childMessage) { c.result(m, `{"text":`+quote(m.text())+`}`) }

func (c *chaosChild) writeLine(format string, args ...any) {
	c.write(fmt.Sprintf(format+"\n", args...))
}

// write writes text unchanged. SIGPIPE ends a child whose client has gone.
func (c *chaosChild) write(text string) {
	c.writeMu.Lock()
	defer c.writeMu.Unlock()
	_, _ = os.Stdout.WriteString(text)
}

func quote(text string) string {
	raw, _ := json.Marshal(text)
	return string(raw)
}
