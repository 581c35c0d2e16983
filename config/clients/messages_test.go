package clients_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mcp-aggregator/config"
	"mcp-aggregator/config/clients"
	"mcp-aggregator/testutil"
)

// secretServer draws a server with secret values, some of them of the wrong type.
func secretServer(t *rapid.T, name string) string {
	value := rapid.SampledFrom([]string{
		`"hunter2"`, `"${A:-hunter2}"`, `"${env:A:-hunter2}"`, `"$hunter2-"`, `1`, `null`, `["hunter2"]`, `{"hunter2key": "hunter2"}`, `"hunter2\u0000"`, `true`,
	})
	members := rapid.SampledFrom([]string{"command", "args", "env", "cwd", "type", "url", "disabled", "envFile", "unknown"})
	var all []string
	for _, member := range rapid.SliceOfN(members, 1, 5).Draw(t, "members") {
		drawn := value.Draw(t, member)
		if member == "command" && rapid.Bool().Draw(t, "is the aggregator") {
			drawn = `"mcp-simple-aggregator"`
		}
		if member == "args" {
			drawn = "[" + drawn + "]"
		}
		all = append(all, fmt.Sprintf("%q: %s", member, strings.ReplaceAll(drawn, "hunter2key", "KEY")))
	}
	return fmt.Sprintf("%q: {%s} // hunter2\n", name, strings.Join(all, ", "))
}

func TestMessagesContainNoValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.SampledFrom(clients.All()).Draw(t, "client")
		file := fmt.Sprintf("{%q: {%s,%s}, \"token\": \"hunter2\", \"x\": {%s}, /* hunter2 */ \"n\": [\"hunter2\"]}", c.Servers, secretServer(t, "a"), secretServer(t, "aggregator"), secretServer(t, "aggregator"))
		if rapid.Bool().Draw(t, "broken") {
			at := rapid.IntRange(0, len(file)).Draw(t, "at")
			file = file[:at] + rapid.SampledFrom([]string{"", `"`, "x", "}", ","}).Draw(t, "by") + file[at:]
		}
		var messages strings.Builder
		found := clients.Collection{System: clients.System{GOOS: "linux"}}
		err := found.Add(c, "", "f.json", []byte(file))
		if err != nil {
			messages.WriteString(err.Error())
		}
		messages.WriteString(linesOf(found))
		in := clients.Installation{Client: c, File: "f.json", Key: "aggregator", Command: "/x", Args: []string{"--config", "/c.json"}, Needs: []string{"A"}}
		shown := in.Shown()
		if in.Args, _, err = in.Merge([]byte(file)); err != nil {
			messages.WriteString(err.Error())
		}
		after, err := in.Install([]byte(file))
		if err != nil {
			messages.WriteString(err.Error())
		}
		messages.WriteString(clients.Diff("f.json", []byte(file), after, shown))
		m := clients.Migration{Client: c, File: "f.json", Ours: "/c.json", Env: config.NewEnv([]string{"A=hunter2"})}
		if moved, err := m.Move([]byte(file), nil); err == nil {
			messages.WriteString(clients.Diff("f.json", []byte(file), moved.Client, shown))
			messages.WriteString(clients.Diff("c.json", nil, moved.Ours, clients.Shown{}))
			fmt.Fprint(&messages, moved.LeftOut, moved.Notes)
		}
		if strings.Contains(messages.String(), testutil.Canary) {
			t.Fatalf("%s\nof\n%s", messages.String(), file)
		}
	})
}
