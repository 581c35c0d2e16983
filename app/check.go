package app

import (
	"errors"
	"fmt"
	"time"

	"mcp-aggregator/modules/child"
)

// Check starts everything as serving would, reports on every server, stops
// everything, and returns the exit code: ExitFailed unless all servers ran.
func Check(o Options, asJSON bool) int {
	return attended(o, func(o Options) int { return check(o, asJSON) })
}

func check(o Options, asJSON bool) int {
	c, stdio := newClient()
	defer c.close()
	n, err := start(o, stdio)
	if err != nil {
		return report(o.Stderr, err)
	}
	err = c.initialize(o.Version)
	if err == nil {
		err = n.awaitServers(o)
	}
	findings := n.findings()
	if err = errors.Join(err, n.stop()); err != nil {
		return report(o.Stderr, err)
	}
	if err := n.printing(func() error { return findings.print(o.Stdout, asJSON) }); err != nil {
		return report(o.Stderr, err)
	}
	if !findings.allRan() {
		return ExitFailed
	}
	return ExitOK
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
		return fmt.Sprintf("%s: %s: %s", quoted(s.Key), s.State, s.Err.Why())
	}
	return fmt.Sprintf("%s: %s, %d tools after %v", quoted(s.Key), s.State, s.Tools, s.Ready.Round(time.Millisecond))
}
