package admin

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

const profilesPath = "/profiles"

// profile is the part of a profile that is printed.
type profile struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Servers     []string `json:"servers"`
	Unknown     []string `json:"unknown_servers"`
	Allow       []string `json:"allow"`
	Deny        []string `json:"deny"`
	Pin         []string `json:"pin"`
	Mode        string   `json:"mode"`
}

// ProfileChange is what a profile is to become. Fields that are nil or, for Mode, empty are
// left to the service.
type ProfileChange struct {
	Description *string
	Servers     []string // an empty list, not nil, is all servers
	Allow       []string // an empty list, not nil, is all tools
	Deny        []string
	Pin         []string
	Mode        string
}

// members returns the members of the body for a change.
func (c ProfileChange) members() map[string]any {
	body := map[string]any{}
	if c.Description != nil {
		body["description"] = *c.Description
	}
	for name, list := range map[string][]string{"servers": c.Servers, "allow": c.Allow, "deny": c.Deny, "pin": c.Pin} {
		if list != nil {
			body[name] = list
		}
	}
	if c.Mode != "" {
		body["mode"] = c.Mode
	}
	return body
}

// ListProfiles prints all profiles: as a table, or as the JSON of the service.
func (c *Client) ListProfiles(ctx context.Context, asJSON bool) error {
	var list struct {
		Profiles *[]profile `json:"profiles"`
	}
	raw, err := c.get(ctx, profilesPath, &list)
	switch {
	case err != nil:
		return err
	case list.Profiles == nil:
		return c.notTheService(http.StatusOK)
	case asJSON:
		return c.print(raw)
	}
	var rows [][]string
	for _, p := range *list.Profiles {
		rows = append(rows, []string{
			Escape(p.Name), Escape(p.Mode), firstLine(orAll(p.Servers), maxCell), firstLine(orAll(p.Allow), maxCell),
			firstLine(strings.Join(p.Deny, ", "), maxCell), firstLine(strings.Join(p.Pin, ", "), maxCell), firstLine(p.Description, maxCell),
		})
	}
	return c.printTable([]string{"NAME", "MODE", "SERVERS", "ALLOW", "DENY", "PIN", "DESCRIPTION"}, rows)
}

// orAll returns the texts on one line; * for none, which stands for all.
func orAll(texts []string) string {
	if len(texts) == 0 {
		return "*"
	}
	return strings.Join(texts, ", ")
}

// ShowProfile prints all of a profile: as a table, or as the JSON of the service.
func (c *Client) ShowProfile(ctx context.Context, name string, asJSON bool) error {
	path, err := profilePath(name)
	if err != nil {
		return err
	}
	var p profile
	raw, err := c.get(ctx, path, &p)
	switch {
	case err != nil:
		return err
	case p.Name == "":
		return c.notTheService(http.StatusOK)
	case asJSON:
		return c.print(raw)
	}
	servers := slices.Clone(p.Servers)
	for i, server := range servers {
		if slices.Contains(p.Unknown, server) {
			servers[i] += " (not registered)"
		}
	}
	rows := [][]string{
		{"DESCRIPTION", Escape(p.Description)},
		{"MODE", Escape(p.Mode)},
		{"ADDRESS", Escape(c.options.Address + "/mcp" + profilesPath + "/" + url.PathEscape(p.Name))},
	}
	rows = append(rows, listRows("SERVERS", servers, "*")...)
	rows = append(rows, listRows("ALLOW", p.Allow, "*")...)
	rows = append(rows, listRows("DENY", p.Deny, "")...)
	rows = append(rows, listRows("PIN", p.Pin, "")...)
	return c.printTable([]string{"NAME", Escape(p.Name)}, rows)
}

// listRows returns a row for each text, the first with the heading; for no text a row with
// what stands for none.
func listRows(heading string, texts []string, none string) (rows [][]string) {
	if len(texts) == 0 {
		texts = []string{none}
	}
	for _, text := range texts {
		rows = append(rows, []string{heading, Escape(text)})
		heading = ""
	}
	return rows
}

// profilePath returns the path of a profile in the REST API.
func profilePath(name string) (string, error) {
	if name == "" || name == "." || name == ".." { // these are no parts of a path
		return "", fmt.Errorf("no profile can have the name %q; see: mcp-aggregator profiles list", name)
	}
	return profilesPath + "/" + url.PathEscape(name), nil
}

// AddProfile adds a profile.
func (c *Client) AddProfile(ctx context.Context, name string, change ProfileChange) error {
	body := change.members()
	body["name"] = name
	return c.sendProfile(ctx, http.MethodPost, profilesPath, body, "added")
}

// UpdateProfile changes a profile.
func (c *Client) UpdateProfile(ctx context.Context, name string, change ProfileChange) error {
	path, err := profilePath(name)
	if err != nil {
		return err
	}
	return c.sendProfile(ctx, http.MethodPatch, path, change.members(), "updated")
}

// sendProfile sends a profile and prints what was done, and which of its servers are not
// registered.
func (c *Client) sendProfile(ctx context.Context, method, path string, body map[string]any, done string) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	raw, err := c.request(ctx, method, path, text)
	if err != nil {
		return err
	}
	var p profile
	if err := json.Unmarshal(raw, &p); err != nil || p.Name == "" {
		return c.notTheService(http.StatusOK)
	}
	if len(p.Unknown) > 0 {
		done += "; not registered yet: " + strings.Join(p.Unknown, ", ")
	}
	return c.printState(p.Name, done)
}

// RemoveProfile removes a profile.
func (c *Client) RemoveProfile(ctx context.Context, name string) error {
	path, err := profilePath(name)
	if err != nil {
		return err
	}
	if _, err := c.request(ctx, http.MethodDelete, path, nil); err != nil {
		return err
	}
	return c.printState(name, "removed")
}
