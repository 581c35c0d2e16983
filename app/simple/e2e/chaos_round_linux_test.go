package app_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"
	"time"

	"go.uber.org/fx"

	"mcp-aggregator/app"
	"mcp-aggregator/modules/child"
	"mcp-aggregator/modules/upstream"
	"mcp-aggregator/testutil"
)

// round is one aggregator with fresh children and its client, from the start
// to an end of some kind.
type round struct {
	*crowd
	t       *testing.T
	dice    *rand.Rand
	mark    *testutil.Marker
	fx      *fx.App
	server  *upstream.AggregatorServer
	manager *child.Manager
	ending  *ending
	stdout  io.Closer
	log     *syncBuffer
}

// playRound runs round number n of a seed for a while.
func playRound(t *testing.T, seed uint64, n int, length time.Duration) *round {
	t.Helper()
	r := &round{
		t: t, log: &syncBuffer{}, dice: rand.New(rand.NewPCG(seed, uint64(n)<<32|0xffff)),
		mark: testutil.Mark(t),
	}
	r.ending = &endings[r.dice.IntN(len(endings))]
	r.start(seed, n)
	r.say(`{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"sampling":{},"roots":{}},"clientInfo":{"name":"chaos","version":"1"}}}`)
	if r.await("answer to initialize", r.greeted) {
		r.traffic(seed)
		time.Sleep(length) // which is how long this round is
		r.barrier()
	}
	r.ending.end(r)
	r.stop()
	if r.ending.all {
		r.oblige()
	}
	r.look(r.ending.all || r.ending.most)
	return r
}

// traffic sets the callers to work.
func (r *round) traffic(seed uint64) {
	r.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	r.queue(nil)
	for caller := range chaosCallers {
		dice := rand.New(rand.NewPCG(seed, r.dice.Uint64()))
		r.work.Go(func() { r.call(caller, dice) })
	}
}

// start composes and starts the aggregator. Every fourth round keeps the usual
// bounds; the others shorten them, to see more of them reached.
func (r *round) start(seed uint64, n int) {
	r.t.Helper()
	acts := make(map[string]string)
	for i := range chaosChildren {
		acts[keyOf(i)] = temperament{key: keyOf(i), tame: i < chaosTame, seed: seed, round: n, child: i}.act()
	}
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	r.stdout = outW
	r.crowd = newCrowd(inW, outR)
	o := app.Options{
		Config: ownServers(r.t, acts), Separator: ":",
		Environ: []string{r.mark.Entry()}, Stderr: testutil.Printed(r.log),
	}
	bounds := fx.Options()
	if n%4 != 3 {
		bounds = fx.Options(fx.Decorate(r.children), fx.Decorate(r.upstream))
	}
	r.fx = fx.New(
		app.Simple(o, upstream.Stdio{In: inR, Out: outW}),
		bounds,
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
	return time.Millisecond + time.Duration(r.dice.Int64N(int64(limit)))
}

// await waits for what the aggregator has to do.
func (r *round) await(what string, done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	case <-time.After(patience):
		r.t.Errorf("after %v: no %s", patience, what)
		return false
	}
}

// barrier makes sure that what the client has sent so far has been read, and
// that the children that behave have answered their part of it, whatever the
// others do.
func (r *round) barrier() {
	r.oblige()
	if r.say(`{"jsonrpc":"2.0","id":"ping","method":"ping"}`) {
		r.await("answer to ping", r.ponged)
	}
	until(r.t, r.unserved)
}

type ending struct {
	name      string
	all, most bool // what has been answered then: all that was sent, or what was sent before the barrier
	end       func(*round)
}

// endings are the ways a round ends.
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
	{"the client takes nothing more", false, false, func(r *round) {
		_ = r.out.Close()
		r.await("end of the session", r.server.Done())
	}},
}

// stop stops the program, within the time that it gives itself, and joins the
// client.
func (r *round) stop() {
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Second)
	defer cancel()
	if err := r.fx.Stop(ctx); err != nil {
		r.t.Errorf("stop: %v", err)
	}
	_ = r.stdout.Close()
	close(r.over)
	r.work.Wait()
}

// look looks at what is left of the round.
func (r *round) look(answered bool) {
	if left := r.unanswered(); answered && left != "" {
		r.t.Error(left)
	}
	for _, fault := range r.faults {
		r.t.Error(fault)
	}
	until(r.t, func() string {
		if left := r.mark.Alive(); len(left) > 0 {
			return fmt.Sprintf("processes left behind: %v", left)
		}
		return ""
	})
}
