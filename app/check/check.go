package app

import (
	"errors"
	"fmt"
	"time"

	"mcp-aggregator/modules/child"
)

// Check starts everything as serving would, reports on every server, stops
// everything, and returns the exit code: ExitFailed unless all servers ran.
func Check(o Options, c CheckOptions) int {
	o.Reports = true
	return attended(o, func(o Options) int { return check(o, c) })
}

func check(o Options, how CheckOptions) int {
	c, stdio := newClient()
	defer c.close()
	n, err := start(o, stdio)
	if err != nil {
		if how.JSON {
			err = errors.Join(err, reportConfig(o.Stdout, err))
		}
		return report(o.Stderr, err)
	}
	err = c.initialize(o.Version)
	if err == nil {
		err = n.awaitServers(o)
	}
	found := n.report(o, how.Client)
	if err = errors.Join(err, n.stop()); err != nil {
		return report(o.Stderr, err)
	}
	if err := n.printing(func() error { return found.print(o, how) }); err != nil {
		return report(o.Stderr, err)
	}
	if !found.allRan() {
		return ExitFailed
	}
	return ExitOK
}

func (r Report) print(o Options, how CheckOptions) error {
	if how.JSON {
		return r.write(o.Stdout)
	}
	return r.Print(o.Stdout, how.Screen)
}

// awaitServers waits until every server has settled, which the children's own
// bounds see to.
func (n *node) awaitServers(o Options) error {
	settled := make(chan string)
	statuses := n.manager.Statuses()
	for _, status := range statuses {
		go func() { // ends when the server settles, at the latest when it is stopped
			<-n.manager.Settled(status.Key)
			select {
			case settled <- status.Key:
			case <-n.server.Done():
			}
		}()
	}
	for range statuses {
		select {
		case key := <-settled:
			if o.Progress {
				fmt.Fprintln(o.Stderr, progress(n.statusOf(key)))
			}
		case <-n.signals:
			return errInterrupted
		}
	}
	return nil
}

func (n *node) statusOf(key string) child.Status {
	for _, status := range n.manager.Statuses() {
		if status.Key == key {
			return status
		}
	}
	return child.Status{Key: key}
}

func progress(s child.Status) string {
	if s.Err != nil {
		return fmt.Sprintf("%s: %s", quoted(s.Key), s.State) // why is in the report
	}
	return fmt.Sprintf("%s: %s, %s after %v", quoted(s.Key), s.State, count(s.Tools, "tool"), s.Ready.Round(time.Millisecond))
}
