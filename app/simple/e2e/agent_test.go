package e2e_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-aggregator/testutil"
)

// agentTasks are what an agent is to do, one after the other. It knows the words of the
// task and the arguments, and neither the name of the tool nor its server. The result has
// to have the part in it.
var agentTasks = []struct{ query, arguments, part string }{
	{"add two numbers", `{"a":2,"b":40}`, `The sum of 2 and 40 is 42.`},
	{"repeat a message back to me", `{"message":"hi"}`, `Echo: hi`},
	{"show me a picture", `{}`, `"mimeType":"image/png"`},
	{"weather conditions of a city", `{"location":"Chicago"}`, `"temperature"`},
	{"do something slow and report progress", `{"duration":0.2,"steps":2}`, `Long running operation completed`},
	{"which folders may I use", `{}`, `Allowed directories`},
	{"create a folder", `{"path":"FOLDER/notes"}`, `Successfully created directory`},
	{"save text to a new file", `{"path":"FOLDER/notes/a.txt","content":"one\ntwo\n"}`, `Successfully wrote`},
	{"replace a line in a file", `{"path":"FOLDER/notes/a.txt","edits":[{"oldText":"two","newText":"three"}]}`, `+three`},
	{"show the text of a file", `{"path":"FOLDER/notes/a.txt"}`, `three`},
	{"rename a file", `{"source":"FOLDER/notes/a.txt","destination":"FOLDER/notes/b.txt"}`, `Successfully moved`},
	{"what files are in a folder", `{"path":"FOLDER/notes"}`, `b.txt`},
	{"when was a file last modified", `{"path":"FOLDER/notes/b.txt"}`, `modified:`},
	{"find files by a name pattern", `{"path":"FOLDER","pattern":"**/b.*"}`, `b.txt`},
	{"remember a new person", `{"entities":[{"name":"Ada","entityType":"person","observations":["writes programs"]}]}`, `"name":"Ada"`},
	{"remember another fact about a person", `{"observations":[{"entityName":"Ada","contents":["likes mills"]}]}`, `likes mills`},
	{"look up people by word", `{"query":"mills"}`, `"name":"Ada"`},
	{"remove a fact about an entity", `{"deletions":[{"entityName":"Ada","observations":["likes mills"]}]}`, `deleted`},
	{"everything in the knowledge graph", `{}`, `writes programs`},
	{"think through a problem step by step", `{"thought":"one","nextThoughtNeeded":false,"thoughtNumber":1,"totalThoughts":1}`, `"thoughtHistoryLength":1`},
}

// An agent that knows three tools, and reads only what they answer, does what it is told
// to with four real servers.
func TestAnAgentDoesItsTasksWithThreeTools(t *testing.T) {
	program, config := realServers(t, 1)
	ctx, cancel := context.WithTimeout(t.Context(), interopTime)
	defer cancel()
	a := newAgent(ctx, t, program, config)
	defer a.close()
	folder := filepath.ToSlash(filepath.Dir(config))
	for _, task := range agentTasks {
		task.arguments = strings.ReplaceAll(task.arguments, "FOLDER", folder)
		name := a.choose(ctx, task.query, task.arguments)
		if name == "" {
			t.Errorf("%s: neither of the first two tools takes %s", task.query, task.arguments)
			continue
		}
		if own := strings.NewReplacer("_", " ", "-", " ").Replace(name[strings.Index(name, ":")+1:]); strings.Contains(task.query, own) {
			t.Errorf("%s: the query gives the name of %s away", task.query, name)
		}
		result := a.call(ctx, "call_tool", `{"name":`+strconv.Quote(name)+`,"arguments":`+task.arguments+`}`)
		text, err := json.Marshal(result)
		if err != nil {
			t.Fatal(err)
		}
		plain := strings.NewReplacer(`\"`, `"`, `\n`, "\n", " ", "").Replace(string(text))
		if result.IsError || !strings.Contains(plain, strings.ReplaceAll(task.part, " ", "")) {
			t.Errorf("%s: %s answered %s, want %s in it", task.query, name, text, task.part)
		}
		t.Logf("%s: %s", task.query, name)
	}
}

// agent knows the three tools of the lean mode.
type agent struct {
	t       *testing.T
	session *mcp.ClientSession
}

func newAgent(ctx context.Context, t *testing.T, program, config string) *agent {
	t.Helper()
	changed := make(chan struct{}, 1)
	client := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, whenChanged(changed))
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: searched(exec.CommandContext(ctx, program, "--config", config, "--lean"))}, nil)
	if err != nil {
		t.Fatal(err)
	}
	a := &agent{t, session}
	for {
		list, err := session.ListTools(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(list.Tools) != 3 {
			t.Fatalf("the agent sees %d tools", len(list.Tools))
		}
		_, servers, _ := strings.Cut(list.Tools[0].Description, "Servers:")
		if strings.Count(servers, "\n") == 4 { // on a busy machine a server may be late
			return a
		}
		select {
		case <-changed:
		case <-ctx.Done():
			t.Fatalf("the servers that the list names: %s", servers)
		}
	}
}

func (a *agent) close() {
	if err := a.session.Close(); err != nil {
		a.t.Errorf("close: %v", err)
	}
}

func (a *agent) call(ctx context.Context, tool, arguments string) *mcp.CallToolResult {
	a.t.Helper()
	result, err := a.session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	if err != nil {
		a.t.Fatalf("%s %s: %v", tool, arguments, err)
	}
	return result
}

// hit matches a line of search_tools.
var hit = regexp.MustCompile(`(?m)^(\S+?)\((.*?)\)( - |$| \[)`)

// choose searches, and returns the first of the first two tools that takes the arguments;
// "" if neither does.
func (a *agent) choose(ctx context.Context, query, arguments string) string {
	a.t.Helper()
	found := a.call(ctx, "search_tools", `{"query":`+strconv.Quote(query)+`,"limit":2}`)
	for _, line := range hit.FindAllStringSubmatch(found.Content[0].(*mcp.TextContent).Text, -1) {
		if a.takes(ctx, line[1], line[2], arguments) {
			return line[1]
		}
	}
	return ""
}

// takes reports whether a tool with that signature takes the arguments: it reads the
// signature, and the definition where that leaves a parameter out.
func (a *agent) takes(ctx context.Context, name, signature, arguments string) bool {
	a.t.Helper()
	var given map[string]any
	if err := json.Unmarshal([]byte(arguments), &given); err != nil {
		a.t.Fatal(err)
	}
	var known []string
	for _, part := range regexp.MustCompile(`(?:^|, )([\w-]+)(\*?):`).FindAllStringSubmatch(signature, -1) {
		if _, ok := given[part[1]]; part[2] == "*" && !ok {
			return false
		}
		known = append(known, part[1])
	}
	if regexp.MustCompile(`\+\d+$`).MatchString(signature) {
		for parameter := range a.describe(ctx, name).InputSchema.Properties {
			known = append(known, parameter)
		}
	}
	for parameter := range given {
		if !slices.Contains(known, parameter) {
			return false
		}
	}
	return true
}

type agentsDefinition struct {
	Name        string
	InputSchema struct{ Properties map[string]any }
}

func (a *agent) describe(ctx context.Context, name string) (d agentsDefinition) {
	a.t.Helper()
	described := a.call(ctx, "describe_tools", `{"names":[`+strconv.Quote(name)+`]}`)
	if err := json.Unmarshal([]byte(described.Content[0].(*mcp.TextContent).Text), &d); err != nil || d.Name != name {
		a.t.Fatalf("describe_tools of %s: %v", name, err)
	}
	return d
}

// The figures of docs/lean.md for the four servers hold within a tenth.
func TestTheTokensOfRealServers(t *testing.T) {
	program, config := realServers(t, 1)
	ctx, cancel := context.WithTimeout(t.Context(), interopTime)
	defer cancel()
	out, err := searched(exec.CommandContext(ctx, program, "check", "--json", "--lean", "--config", config)).Output()
	if err != nil {
		t.Fatalf("check: %v: %s", err, out)
	}
	testutil.Record(string(out))
	testutil.Conforms(t, "../../../docs/check.schema.json", out)
	var report struct {
		Tokens int
		Lean   struct{ Tools, Tokens int }
	}
	if err := json.Unmarshal(out, &report); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../../docs/lean.md")
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("all %d tokens, lean %d", report.Tokens, report.Lean.Tokens)
	row := regexp.MustCompile(`\| 37 of the four npm servers \| ([\d,]+) \| ([\d,]+) \|`).FindStringSubmatch(string(page))
	if row == nil || report.Lean.Tools != 3 {
		t.Fatalf("docs/lean.md has no row, or the list has %d tools", report.Lean.Tools)
	}
	for i, measured := range []int{report.Tokens, report.Lean.Tokens} {
		written, _ := strconv.Atoi(strings.ReplaceAll(row[i+1], ",", ""))
		if written*10 < measured*9 || written*10 > measured*11 {
			t.Errorf("docs/lean.md has %d tokens, measured are %d", written, measured)
		}
	}
}
