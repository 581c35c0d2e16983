package main

import (
	"context"
	"strings"

	"mcp-aggregator/app/admin"
	"mcp-aggregator/app/cli"
)

type toolsCommand struct {
	connection

	List   toolsList   `cmd:"" help:"List the tools that can be called."`
	Search toolsSearch `cmd:"" help:"Find tools by what they do, the best first."`
	Call   toolsCall   `cmd:"" help:"Call a tool and print its result, JSON; exit code 1 if that is an error."`
}

type toolsList struct {
	Server string `help:"Only tools of this server." placeholder:"NAME-OR-ID"`
	JSON   bool   `help:"Print the service's answer, JSON." name:"json"`
}

// Run is called by kong.
func (l *toolsList) Run(c *admin.Client) error {
	return c.ListTools(context.Background(), l.Server, l.JSON)
}

type toolsSearch struct {
	Words   []string `arg:"" help:"What the tool is to do."`
	Server  []string `help:"Only tools of this server. Repeatable." placeholder:"NAME-OR-ID" sep:"none"`
	Limit   int      `help:"How many tools at most, up to 100." default:"10"`
	Explain bool     `help:"Print where each score comes from."`
	JSON    bool     `help:"Print the service's answer, JSON." name:"json"`
}

// Run is called by kong.
func (s *toolsSearch) Run(c *admin.Client) error {
	find := admin.Search{Query: strings.Join(s.Words, " "), Servers: s.Server, Limit: s.Limit, Explain: s.Explain}
	return c.SearchTools(context.Background(), find, s.JSON)
}

type toolsCall struct {
	Name      string     `arg:"" help:"The tool, as SERVER.TOOL or, with --server, what its server calls it."`
	Arguments jsonObject `arg:"" optional:"" name:"json-arguments" help:"The arguments, a JSON object."`
	Server    string     `help:"The server to call." placeholder:"NAME-OR-ID"`
}

// Run is called by kong.
func (t *toolsCall) Run(c *admin.Client) error {
	call := admin.Call{Tool: t.Name, Server: t.Server}
	if t.Arguments != "" {
		call.Arguments = []byte(t.Arguments)
	}
	ok, err := c.CallTool(context.Background(), call)
	if err == nil && !ok {
		err = cli.Exit(cli.ExitFailed)
	}
	return err
}
