package admin

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
)

// Draft is a server to register: a command or a URL.
type Draft struct {
	Name, Description string
	Command           []string          // with its arguments
	Env               map[string]string // of the command
	Cwd               string            // of the command
	URL               string
	SSE               bool // the URL speaks HTTP with server-sent events, not streamable HTTP
	Headers           map[string]string
	NoConnect         bool // do not connect it until servers connect is run
}

// connection is the member connection_config of the REST API.
type connection struct {
	Command string            `json:"command,omitempty"`
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	Cwd     string            `json:"cwd,omitempty"`
	URL     string            `json:"url,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
}

func (d Draft) body() ([]byte, error) {
	transport, config := "HTTP", connection{URL: d.URL, Headers: d.Headers}
	switch {
	case len(d.Command) > 0:
		transport, config = "STDIO", connection{Command: d.Command[0], Args: d.Command[1:], Env: d.Env, Cwd: d.Cwd}
	case d.SSE:
		transport = "SSE"
	}
	return json.Marshal(map[string]any{
		"name": d.Name, "description": d.Description, "transport_type": transport,
		"connection_config": config, "auto_connect": !d.NoConnect,
	})
}

// Add registers a server and prints its status. With wait it waits, at most
// Options.ConnectTimeout, for the first attempt to connect; it is an error if that fails.
func (c *Client) Add(ctx context.Context, d Draft, wait bool) error {
	body, err := d.body()
	if err != nil {
		return err
	}
	raw, err := c.request(ctx, http.MethodPost, serversPath, body)
	if err != nil {
		return err
	}
	var s server
	if err := json.Unmarshal(raw, &s); err != nil || s.ID == "" {
		return c.notTheService(http.StatusCreated)
	}
	if wait {
		if s, err = c.waitFor(ctx, s, func(s server) bool { return s.Status != "CONNECTING" }); err != nil {
			return err
		}
	}
	if err := c.printState(s.Name, s.Status); err != nil {
		return err
	}
	return s.failure()
}

// failure returns why the server is not connected; nil if it is or if that is not known.
func (s server) failure() error {
	if s.Reason == "" || s.Status == "DEGRADED" {
		return nil
	}
	return fmt.Errorf("server %q is registered, but not connected: %s", s.Name, s.Reason)
}
