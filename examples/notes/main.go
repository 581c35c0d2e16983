// Command notes is an MCP server over stdio that keeps notes for as long as it runs.
package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type addNote struct {
	Title string `json:"title" jsonschema:"replaces the note that has it already"`
	Text  string `json:"text"`
}

type searchNotes struct {
	Query string `json:"query" jsonschema:"part of a title or text; all notes if it is empty"`
}

type deleteNote struct {
	Title string `json:"title"`
}

func main() {
	n := &notes{texts: make(map[string]string)}
	server := mcp.NewServer(&mcp.Implementation{Name: "notes", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "add_note", Description: "Keeps a note."}, n.add)
	mcp.AddTool(server, &mcp.Tool{Name: "search_notes", Description: "Finds notes by what they say."}, n.search)
	mcp.AddTool(server, &mcp.Tool{Name: "delete_note", Description: "Deletes a note."}, n.remove)
	if err := server.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		fmt.Fprintln(os.Stderr, "notes:", err)
		os.Exit(1)
	}
}

// notes holds texts by their titles; calls run side by side.
type notes struct {
	mu    sync.Mutex
	texts map[string]string
}

func (n *notes) add(_ context.Context, _ *mcp.CallToolRequest, args addNote) (*mcp.CallToolResult, any, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.texts[args.Title] = args.Text
	return text("kept " + args.Title)
}

func (n *notes) search(_ context.Context, _ *mcp.CallToolRequest, args searchNotes) (*mcp.CallToolResult, any, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	var found []string
	for _, title := range slices.Sorted(maps.Keys(n.texts)) {
		if note := title + ": " + n.texts[title]; strings.Contains(note, args.Query) {
			found = append(found, note)
		}
	}
	return text(strings.Join(found, "\n"))
}

func (n *notes) remove(_ context.Context, _ *mcp.CallToolRequest, args deleteNote) (*mcp.CallToolResult, any, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if _, ok := n.texts[args.Title]; !ok {
		return nil, nil, fmt.Errorf("there is no note %q", args.Title)
	}
	delete(n.texts, args.Title)
	return text("deleted " + args.Title)
}

func text(text string) (*mcp.CallToolResult, any, error) {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, nil
}
