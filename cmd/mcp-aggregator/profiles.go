package main

import (
	"context"
	"errors"

	"mcp-aggregator/app/admin"
)

type profilesCommand struct {
	connection

	List   profilesList   `cmd:"" help:"List the profiles."`
	Show   profilesShow   `cmd:"" help:"Show all of a profile."`
	Add    profilesAdd    `cmd:"" help:"Add a profile, which MCP clients are served at /mcp/profiles/NAME."`
	Update profilesUpdate `cmd:"" help:"Change what is given of a profile. A list is replaced as a whole; one empty value empties it, as in --deny=."`
	Remove profilesRemove `cmd:"" help:"Remove a profile."`
}

type profilesList struct {
	JSON bool `help:"Print the service's answer, JSON." name:"json"`
}

// Run is called by kong.
func (l *profilesList) Run(c *admin.Client) error {
	return c.ListProfiles(context.Background(), l.JSON)
}

type profilesShow struct {
	profileName

	JSON bool `help:"Print the service's answer, JSON." name:"json"`
}

// Run is called by kong.
func (s *profilesShow) Run(c *admin.Client) error {
	return c.ShowProfile(context.Background(), s.Name, s.JSON)
}

// profileName is embedded by the commands on one profile.
type profileName struct {
	Name string `arg:"" help:"Name of the profile: letters, digits, _ and -."`
}

// profileFlags is embedded by the commands that write a profile.
type profileFlags struct {
	Description *string  `help:"Description for people." placeholder:"TEXT"`
	Server      []string `help:"Server whose tools it shows; without any, those of all servers. Repeatable." placeholder:"NAME" sep:"none"`
	Allow       []string `help:"Tools that it shows, a pattern for SERVER.TOOL, as in 'github.*'; without any, all tools. Repeatable." placeholder:"PATTERN" sep:"none"`
	Deny        []string `help:"Tools that it does not show. Repeatable." placeholder:"PATTERN" sep:"none"`
	Pin         []string `help:"Tools that mode lean lists, of those that it shows. Repeatable." placeholder:"PATTERN" sep:"none"`
	Mode        string   `help:"What it lists: full, the default of a new one, all its tools; lean three that find and call them." placeholder:"full|lean"`
}

func (f *profileFlags) change() admin.ProfileChange {
	return admin.ProfileChange{
		Description: f.Description, Servers: givenList(f.Server), Allow: givenList(f.Allow),
		Deny: givenList(f.Deny), Pin: givenList(f.Pin), Mode: f.Mode,
	}
}

// givenList returns an empty list for one empty value.
func givenList(values []string) []string {
	if len(values) == 1 && values[0] == "" {
		return []string{}
	}
	return values
}

type profilesAdd struct {
	profileName
	profileFlags
}

// Run is called by kong.
func (a *profilesAdd) Run(c *admin.Client) error {
	return c.AddProfile(context.Background(), a.Name, a.change())
}

type profilesUpdate struct {
	profileName
	profileFlags
}

// AfterApply is called by kong.
func (u *profilesUpdate) AfterApply() error {
	if u.Description == nil && u.Server == nil && u.Allow == nil && u.Deny == nil && u.Pin == nil && u.Mode == "" {
		return errors.New("nothing is to be changed: give --description, --server, --allow, --deny, --pin or --mode")
	}
	return nil
}

// Run is called by kong.
func (u *profilesUpdate) Run(c *admin.Client) error {
	return c.UpdateProfile(context.Background(), u.Name, u.change())
}

type profilesRemove struct{ profileName }

// Run is called by kong.
func (r *profilesRemove) Run(c *admin.Client) error {
	return c.RemoveProfile(context.Background(), r.Name)
}
