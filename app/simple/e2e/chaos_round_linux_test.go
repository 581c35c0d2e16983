package e2e_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"
	"time"

	"go.uber.org/fx"

	"mcp-aggregator/app/simple"
	"mcp-aggregator/modules/child"
	"mcp-aggregator/modules/upstream"
	"mcp-aggregator/testutil"
)

// round is one aggregator with new children and its client, from its start to one of
// the endings.
type round struct {
	*chaosClient
	t       *testing.T
	random  *rand.Rand
	mark    *testutil.Marker
	fx      *fx.App
	server  *upstream.AggregatorServer
	manager *child.Manager
	ending  *ending
	stdout  io.Closer
	log     *testutil.Buffer
}

// runRound runs round number n of a seed; callers call for that length of time.
func runRound(t *testing.T, seed uint64, n int, length time.Duration) *round {
	t.Helper()
	r := &round{
		t: t, log: &testutil.Buffer{}, random: rand.New(rand.NewPCG(seed, uint64(n)<<32|0xffff)),
		mark: testutil.Mark(t),
	}
	r.ending = &endings[r.random.IntN(len(endings))]
	r.start(seed, n)
	r.writeLine(`{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"sampling":{},"roots":{}},"clientInfo":{"name":"chaos","version":"1"}}}`)
	if r.await("answer to initialize", r.initialized) {
		r.startCallers(seed)
		time.Sleep(length) // the callers are at work
		r.barrier()
	}
	r.ending.run(r)
	r.stop()
	if r.ending.all {
		r.requireAnswers()
	}
	r.verify(r.ending.all || r.ending.most)
	return r
}

// startCallers initializes the session and starts the callers.
func (r *round) startCallers(seed uint64) {
	r.writeLine(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	r.enqueue(nil)
	for caller := range chaosCallers {
		random := rand.New(rand.NewPCG(seed, r.random.Uint64()))
		r.work.Go(func() { r.call(caller, random) })
	}
}

// start composes and starts the aggregator. Every fourth round keeps the default limits;
// the others lower them, so that more of them are reached.
func (r *round) start(seed uint64, n int) {
	r.t.Helper()
	children := make(map[string]string)
	for i := range chaosChildren {
		children[keyOf(i)] = chaosChildConfig{key: keyOf(i), wellBehaved: i < chaosWellBehaved, seed: seed, round: n, child: i}.encode()
	}
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	r.stdout = outW
	r.chaosClient = newChaosClient(inW, outR)
	o := simple.Options{
		Config: writeConfig(r.t, children), Separator: ":",
		Environ: []string{r.mark.Entry()}, Stderr: testutil.Printed(r.log),
	}
	limits := fx.Options()
	if n%4 != 3 {
		limits = fx.Options(fx.Decorate(r.children), fx.Decorate(r.upstream))
	}
	r.fx = fx.New(
		simple.Compose(o, upstream.Stdio{In: inR, Out: outW}),
		limits,
		fx.Populate(&r.server, &r.manager),
	)
	if err := r.fx.Start(r.t.Context()); err != nil {
		r.t.Fatalf("start: %v", err)
	}
}

func (r *round) children(child.Options) child.Options {
	return child.Options{
		Grace:      100*time.Millisecond + r.upTo(400*time.Millisecond),
		MaxMessage: 1 << 20,
		MaxQueue:   1 << 20,
	}
}

func (r *round) upstream(o upstream.Options) upstream.Options {
	o.ListWait, o.DrainTimeout = r.upTo(time.Second), r.upTo(500*time.Millisecond)
	return o
}

func (r *round) upTo(limit time.Duration) time.Duration {
	return time.Millisecond + time.Duration(r.random.Int64N(int64(limit)))
}

// await waits until the aggregator has done what it must.
func (r *round) await(what string, done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	case <-time.After(waitTimeout):
		r.t.Errorf("after %v: no %s", waitTimeout, what)
		return false
	}
}

// barrier waits until everything that the client has sent so far was read, and the
// well-behaved children have answered their part of it.
func (r *round) barrier() {
	r.requireAnswers()
	if r.writeLine(`{"jsonrpc":"2.0","id":"ping","method":"ping"}`) {
		r.await("answer to ping", r.pinged)
	}
	waitUntil(r.t, r.missingResults)
}

type ending struct {
	name      string
	all, most bool // what must be answered: everything sent, or everything sent before the barrier
	run       func(*round)
}

// endings are the ways in which a round ends.
var endings = []ending{
	{"the client closes its end", true, false, func(r *round) {
		r.close()
		r.await("end of the session", r.server.Done())
	}},
	{"the program is stopped", false, true, func(*round) {}},
	{"the client hangs up", false, false, func(r *round) {
		_, _ = r.out.Close(), r.in.Close()
		r.await("end of the session", r.server.Done())
	}},
	{"the client stops reading", false, false, func(r *round) {
		_ = r.out.Close()
		r.await("end of the session", r.server.Done())
	}},
}

// stop stops the program, within its own time limit, and joins the client.
func (r *round) stop() {
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Second)
	defer cancel()
	if err := r.fx.Stop(ctx); err != nil {
		r.t.Errorf("stop: %v", err)
	}
	_ = r.stdout.Close()
	close(r.stopped)
	r.work.Wait()
}

// verify checks the responses, and that no process is left.
func (r *round) verify(answered bool) {
	if left := r.unanswered(); answered && left != "" {
		r.t.Error(left)
	}
	for _, failure := range r.failures {
		r.t.Error(failure)
	}
	waitUntil(r.t, func() string {
		if left := r.mark.Alive(); len(left) > 0 {
			return fmt.Sprintf("processes left behind: %v", left)
		}
		return ""
	})
}
