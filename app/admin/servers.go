package admin

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

const serversPath = "/aggregator/servers"

// server is the part of a server record that is printed.
type server struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Status    string `json:"status"`
	Transport string `json:"transport_type"`
	Tools     int    `json:"tool_count"`
	Reason    string `json:"error_message"`
	Updated   string `json:"updated_at"`
}

// servers returns the records with one of those statuses; all records if there are none.
func (c *Client) servers(ctx context.Context, statuses []string) (all []server, raw []byte, err error) {
	path := serversPath
	if len(statuses) > 0 {
		path += "?" + url.Values{"status": {strings.Join(statuses, ",")}}.Encode()
	}
	var list struct {
		Servers *[]server `json:"servers"`
	}
	if raw, err = c.get(ctx, path, &list); err != nil {
		return nil, nil, err
	}
	if list.Servers == nil {
		return nil, nil, c.notTheService(http.StatusOK)
	}
	return *list.Servers, raw, nil
}

// ListServers prints the servers with one of those statuses, or all servers: as a table,
// or as the JSON of the service.
func (c *Client) ListServers(ctx context.Context, statuses []string, asJSON bool) error {
	all, raw, err := c.servers(ctx, statuses)
	if err != nil {
		return err
	}
	if asJSON {
		return c.print(raw)
	}
	var rows [][]string
	for _, s := range all {
		rows = append(rows, []string{
			Escape(s.Name), Escape(s.Status), Escape(s.Transport), strconv.Itoa(s.Tools), Escape(s.Reason),
		})
	}
	return c.printTable([]string{"NAME", "STATUS", "TRANSPORT", "TOOLS", "REASON"}, rows)
}

// find returns the server with that name or, if there is none, that id.
func (c *Client) find(ctx context.Context, nameOrID string) (server, error) {
	all, _, err := c.servers(ctx, nil)
	if err != nil {
		return server{}, err
	}
	for _, s := range all {
		if s.Name == nameOrID {
			return s, nil
		}
	}
	for _, s := range all {
		if s.ID == nameOrID {
			return s, nil
		}
	}
	return server{}, fmt.Errorf("no server has the name or the id %q; see: mcp-aggregator servers list", nameOrID)
}

// path returns the path of the record in the REST API.
func (s server) path() string { return serversPath + "/" + url.PathEscape(s.ID) }

// Disconnect disconnects a server once its open calls have ended, and prints its status.
func (c *Client) Disconnect(ctx context.Context, nameOrID string) error {
	s, err := c.find(ctx, nameOrID)
	if err != nil {
		return err
	}
	raw, err := c.request(ctx, http.MethodPost, s.path()+"/disconnect", nil)
	if err != nil {
		return err
	}
	var answer struct {
		Status  string `json:"status"`
		Pending int    `json:"pending_requests"`
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return c.notTheService(http.StatusOK)
	}
	if answer.Pending > 0 {
		answer.Status += fmt.Sprintf(" (calls abandoned: %d)", answer.Pending)
	}
	return c.printState(s.Name, answer.Status)
}

// Remove removes a server with its tools and its history.
func (c *Client) Remove(ctx context.Context, nameOrID string) error {
	s, err := c.find(ctx, nameOrID)
	if err != nil {
		return err
	}
	if _, err := c.request(ctx, http.MethodDelete, s.path(), nil); err != nil {
		return err
	}
	return c.printState(s.Name, "removed")
}

// printState prints the state of a server.
func (c *Client) printState(name, state string) error {
	_, err := fmt.Fprintf(c.options.Stdout, "%s: %s\n", Escape(name), Escape(state))
	return err
}
