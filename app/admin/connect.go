package admin

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// Connect connects a server and prints its status. With wait it waits, at most
// Options.ConnectTimeout, for the attempt to end; it is an error if that fails.
func (c *Client) Connect(ctx context.Context, nameOrID string, wait bool) error {
	before, err := c.find(ctx, nameOrID)
	if err != nil {
		return err
	}
	raw, err := c.request(ctx, http.MethodPost, before.path()+"/connect", nil)
	if err != nil {
		return err
	}
	var answer struct {
		Status  string `json:"status"`
		Message string `json:"message"`
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return c.notTheService(http.StatusOK)
	}
	notHere := answer.Status == "DISCONNECTED"
	switch {
	case notHere && wait:
		return fmt.Errorf("server %q is not connected here: %s", before.Name, answer.Message)
	case notHere:
		return c.printState(before.Name, answer.Status+" here: "+answer.Message)
	case !wait:
		return c.printState(before.Name, answer.Status)
	}
	s, err := c.waitFor(ctx, before, func(s server) bool { return s.attempted(before) })
	if err != nil {
		return err
	}
	if err := c.printState(s.Name, s.Status); err != nil {
		return err
	}
	return s.failure()
}

// attempted reports whether an attempt to connect has ended since before was read. Until
// the attempt begins, the record still shows the failure of the previous one.
func (s server) attempted(before server) bool {
	switch s.Status {
	case "CONNECTED", "DEGRADED":
		return true
	case "ERROR":
		return s.Updated != before.Updated
	case "DISCONNECTED":
		return s.Reason != "" && s.Updated != before.Updated
	default:
		return false
	}
}

// waitFor polls the record until it is done, at most Options.ConnectTimeout.
func (c *Client) waitFor(ctx context.Context, s server, done func(server) bool) (server, error) {
	ctx, cancel := context.WithTimeout(ctx, c.options.ConnectTimeout)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for !done(s) {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return s, fmt.Errorf("server %q is registered, but still %s after %s; see: mcp-aggregator servers list",
				s.Name, s.Status, c.options.ConnectTimeout)
		}
		var now server
		switch _, err := c.get(ctx, s.path(), &now); {
		case err == nil:
			s = now
		case ctx.Err() == nil:
			return s, err
		}
	}
	return s, nil
}
