package admin

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// Connect has a server connected, and prints its status. With wait it waits, for a
// bounded time, until the attempt has ended; one that failed is an error.
func (c *Client) Connect(ctx context.Context, nameOrID string, wait bool) error {
	before, err := c.find(ctx, nameOrID)
	if err != nil {
		return err
	}
	raw, err := c.ask(ctx, http.MethodPost, before.path()+"/connect", nil)
	if err != nil {
		return err
	}
	var answer struct {
		Status  string `json:"status"`
		Message string `json:"message"`
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return c.foreign(http.StatusOK)
	}
	elsewhere := answer.Status == "DISCONNECTED"
	switch {
	case elsewhere && wait:
		return fmt.Errorf("server %q is not connected here: %s", before.Name, answer.Message)
	case elsewhere:
		return c.state(before.Name, answer.Status+" here: "+answer.Message)
	case !wait:
		return c.state(before.Name, answer.Status)
	}
	s, err := c.awaited(ctx, before, func(s server) bool { return s.attempted(before) })
	if err != nil {
		return err
	}
	if err := c.state(s.Name, s.Status); err != nil {
		return err
	}
	return s.failure()
}

// attempted reports whether an attempt to connect has ended since before. What failed
// before it is shown until it begins.
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

// awaited reads the record again until it is as it should be, for a bounded time.
func (c *Client) awaited(ctx context.Context, s server, enough func(server) bool) (server, error) {
	ctx, cancel := context.WithTimeout(ctx, c.options.Patience)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for !enough(s) {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return s, fmt.Errorf("server %q is registered, but still %s after %s; see: mcp-aggregator servers list",
				s.Name, s.Status, c.options.Patience)
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
