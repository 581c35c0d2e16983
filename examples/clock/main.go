// Command clock is an MCP server over stdio that tells and converts times.
package main

import (
	"context"
	"fmt"
	"os"
	"time"
	_ "time/tzdata" // a machine need not have the zones

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type currentTime struct {
	Zone string `json:"zone" jsonschema:"IANA name of a time zone, such as Europe/Berlin"`
}

type convertTime struct {
	Time string `json:"time" jsonschema:"as 2006-01-02 15:04"`
	From string `json:"from" jsonschema:"IANA name of the zone that the time is in"`
	To   string `json:"to" jsonschema:"IANA name of the zone that is asked for"`
}

const layout = "2006-01-02 15:04"

func main() {
	server := mcp.NewServer(&mcp.Implementation{Name: "clock", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "current_time", Description: "Tells what time it is in a time zone."}, tell)
	mcp.AddTool(server, &mcp.Tool{Name: "convert_time", Description: "Converts a time from one time zone to another."}, convert)
	if err := server.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		fmt.Fprintln(os.Stderr, "clock:", err)
		os.Exit(1)
	}
}

func tell(_ context.Context, _ *mcp.CallToolRequest, args currentTime) (*mcp.CallToolResult, any, error) {
	zone, err := time.LoadLocation(args.Zone)
	if err != nil {
		return nil, nil, err
	}
	return text(time.Now().In(zone).Format(layout))
}

func convert(_ context.Context, _ *mcp.CallToolRequest, args convertTime) (*mcp.CallToolResult, any, error) {
	from, err := time.LoadLocation(args.From)
	if err != nil {
		return nil, nil, err
	}
	to, err := time.LoadLocation(args.To)
	if err != nil {
		return nil, nil, err
	}
	at, err := time.ParseInLocation(layout, args.Time, from)
	if err != nil {
		return nil, nil, err
	}
	return text(at.In(to).Format(layout))
}

func text(text string) (*mcp.CallToolResult, any, error) {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, nil
}
