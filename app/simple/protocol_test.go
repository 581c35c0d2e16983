package simple_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"mcp-aggregator/testutil"
)

// row is one row of a table in docs/protocol.md.
type row struct{ method, verdict string }

var rowForm = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| (passed|answered|refused|dropped) \\|")

// documented returns the rows of the section of docs/protocol.md with that title.
func documented(t *testing.T, title string) []row {
	t.Helper()
	text, err := os.ReadFile("../../docs/protocol.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## "+title+"\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var rows []row
	for _, match := range rowForm.FindAllStringSubmatch(section, -1) {
		rows = append(rows, row{match[1], match[2]})
	}
	if len(rows) < 10 {
		t.Fatalf("section %q has %d rows", title, len(rows))
	}
	return rows
}

// paramsOf are the params of methods that need some.
var paramsOf = map[string]string{
	"tools/call":              `,"params":{"name":"one:x"}`,
	"notifications/cancelled": `,"params":{"requestId":"open"}`,
	"notifications/progress":  `,"params":{"progressToken":"tok","progress":1}`,
}

func TestEveryDocumentedMessageOfTheClient(t *testing.T) {
	for _, r := range documented(t, "From the client") {
		t.Run(r.method, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a, one := openCalls(t)
				if got := verdictOnClient(a, one, r.method); got != r.verdict {
					t.Errorf("documented as %s, is %s", r.verdict, got)
				}
			})
		})
	}
}

// openCalls starts a session in which the client has the call "open" at the child, and the
// child an open request of its own with the progress token "tok".
func openCalls(t *testing.T) (*aggregator, *testutil.ManualChild) {
	t.Helper()
	one := testutil.NewManualChild(`[{"name":"x"}]`)
	a := start(t, testutil.Spawner{"one": one.Run}, "one")
	a.Send("%s", hello)
	a.Next()
	a.tools()
	a.Send(`{"jsonrpc":"2.0","id":"open","method":"tools/call","params":{"name":"one:x"}}`)
	one.Next()
	one.Say(`{"jsonrpc":"2.0","id":"open","method":"roots/list","params":{"_meta":{"progressToken":"tok"}}}`)
	a.Next()
	return a, one
}

func verdictOnClient(a *aggregator, one *testutil.ManualChild, method string) string {
	if strings.HasPrefix(method, "notifications/") {
		a.Send(`{"jsonrpc":"2.0","method":"%s"%s}`, method, paramsOf[method])
		synctest.Wait()
		if one.Idle() {
			return "dropped"
		}
		one.Next()
		return "passed"
	}
	if method == "initialize" { // it has been sent, and was answered
		return "answered"
	}
	a.Send(`{"jsonrpc":"2.0","id":1,"method":"%s"%s}`, method, paramsOf[method])
	synctest.Wait()
	if !one.Idle() {
		one.Next()
		return "passed"
	}
	if strings.Contains(a.Next(), `"error":{"code":-32601,`) {
		return "refused"
	}
	return "answered"
}

func TestEveryDocumentedMessageOfAServer(t *testing.T) {
	for _, r := range documented(t, "From a server") {
		t.Run(r.method, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a, one := openCalls(t)
				if got := verdictOnServer(a, one, r.method); got != r.verdict {
					t.Errorf("documented as %s, is %s", r.verdict, got)
				}
			})
		})
	}
}

func verdictOnServer(a *aggregator, one *testutil.ManualChild, method string) string {
	id := `,"id":"q"`
	if strings.HasPrefix(method, "notifications/") {
		id = ""
	}
	line := `{"jsonrpc":"2.0"` + id + `,"method":"` + method + `"` + paramsOf[method] + `}`
	one.SetTools(`[]`)
	one.Say(line)
	synctest.Wait()
	if !one.Idle() {
		return map[bool]string{true: "answered", false: "refused"}[strings.Contains(one.Next(), `"result"`)]
	}
	a.Send(`{"jsonrpc":"2.0","id":"end","method":"ping"}`)
	switch got := a.Next(); {
	case strings.Contains(got, `"end"`) && method == "notifications/tools/list_changed":
		if a.Next() == listChanged && len(a.tools()) == 0 {
			return "answered"
		}
	case strings.Contains(got, `"end"`):
		return "dropped"
	case strings.Contains(got, `"method":"`+method+`"`):
		return "passed"
	}
	return "none of these"
}

// The tables must have all messages of the specification.
func TestTheTablesAreWhole(t *testing.T) {
	has := func(title string, methods ...string) {
		var rows []string
		for _, r := range documented(t, title) {
			rows = append(rows, r.method)
		}
		for _, method := range methods {
			if !slices.Contains(rows, method) {
				t.Errorf("%s: %s is missing", title, method)
			}
		}
	}
	has("From the client", "initialize", "ping", "tools/list", "tools/call", "prompts/list", "prompts/get",
		"resources/list", "resources/templates/list", "resources/read", "resources/subscribe", "resources/unsubscribe",
		"completion/complete", "logging/setLevel", "tasks/get", "tasks/result", "tasks/list", "tasks/cancel",
		"server/discover", "notifications/initialized", "notifications/cancelled", "notifications/progress",
		"notifications/roots/list_changed")
	has("From a server", "ping", "sampling/createMessage", "elicitation/create", "roots/list",
		"notifications/cancelled", "notifications/progress", "notifications/message", "notifications/tools/list_changed",
		"notifications/resources/updated", "notifications/resources/list_changed", "notifications/prompts/list_changed",
		"notifications/elicitation/complete", "notifications/tasks/status")
}
