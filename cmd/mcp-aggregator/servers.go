package main

import (
	"context"
	"errors"

	"mcp-aggregator/app/admin"
)

type serversCommand struct {
	connection

	List       serversList       `cmd:"" help:"List the servers."`
	Add        serversAdd        `cmd:"" help:"Register a server: NAME -- COMMAND ARGUMENT..., or NAME --url=URL."`
	Connect    serversConnect    `cmd:"" help:"Connect a server, now and, unless it was added with --no-connect, whenever the service starts."`
	Disconnect serversDisconnect `cmd:"" help:"Disconnect a server when its open calls have ended, or after 30 s; it stays so."`
	Remove     serversRemove     `cmd:"" help:"Remove a server, with its tools and its history."`
}

type serversList struct {
	Status []string `help:"Only servers of these statuses: ${enum}." placeholder:"STATUS,..." enum:"CONNECTING,CONNECTED,DEGRADED,DISCONNECTED,ERROR"`
	JSON   bool     `help:"Print the service's answer, JSON." name:"json"`
}

// Run is called by kong.
func (l *serversList) Run(c *admin.Client) error {
	return c.ListServers(context.Background(), l.Status, l.JSON)
}

type serversAdd struct {
	Name        string      `arg:"" help:"Letters, digits, _ and -; its tools are called NAME.TOOL."`
	Command     []string    `arg:"" optional:"" help:"The program of a stdio server, and its arguments, after --."`
	URL         string      `help:"Address of a server over streamable HTTP." name:"url" placeholder:"URL"`
	SSE         bool        `help:"The address is one of HTTP with server-sent events." name:"sse"`
	Header      headers     `help:"Header of every request to the URL. Repeatable." placeholder:"'NAME: VALUE'" sep:"none"`
	Env         assignments `help:"Variable for the command. Repeatable. Values, arguments, URLs and headers may hold references, as in TOKEN='$${TOKEN}', which are expanded where the service runs, so that secrets need not be stored." placeholder:"NAME=VALUE" sep:"none"`
	Cwd         string      `help:"Directory to run the command in, an absolute path." placeholder:"FOLDER"`
	Description string      `help:"Description for people." placeholder:"TEXT"`
	NoConnect   bool        `help:"Register it only: it is connected by servers connect."`
	Wait        bool        `help:"Wait until it is CONNECTED or ERROR, at most 90 s; exit code 1 unless it is connected."`
}

// AfterApply is called by kong.
func (a *serversAdd) AfterApply() error {
	local := len(a.Command) > 0
	switch {
	case !local && a.URL == "":
		return errors.New("the server has neither a command nor a URL: give its command after --, or --url")
	case local && (a.URL != "" || a.SSE || a.Header != nil):
		return errors.New("--url, --sse and --header are not for a command: leave them out, or the command")
	case !local && (a.Env != nil || a.Cwd != ""):
		return errors.New("--env and --cwd are for a command: leave them out, or give the command after --")
	case a.Wait && a.NoConnect:
		return errors.New("--wait has nothing to wait for with --no-connect: leave one out")
	}
	return nil
}

// Run is called by kong.
func (a *serversAdd) Run(c *admin.Client) error {
	return c.Add(context.Background(), admin.Draft{
		Name: a.Name, Description: a.Description,
		Command: a.Command, Env: a.Env.pairs(), Cwd: a.Cwd,
		URL: a.URL, SSE: a.SSE, Headers: a.Header.pairs(),
		NoConnect: a.NoConnect,
	}, a.Wait)
}

// one is embedded by the commands on one server.
type one struct {
	Server string `arg:"" name:"name-or-id" help:"Name or id of the server."`
}

type (
	serversDisconnect struct{ one }
	serversRemove     struct{ one }
)

type serversConnect struct {
	one

	Wait bool `help:"Wait until it is CONNECTED or ERROR, at most 90 s; exit code 1 unless it is connected."`
}

// Run is called by kong.
func (s *serversConnect) Run(c *admin.Client) error {
	return c.Connect(context.Background(), s.Server, s.Wait)
}

// Run is called by kong.
func (s *serversDisconnect) Run(c *admin.Client) error {
	return c.Disconnect(context.Background(), s.Server)
}

// Run is called by kong.
func (s *serversRemove) Run(c *admin.Client) error { return c.Remove(context.Background(), s.Server) }
