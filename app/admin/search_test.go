package admin_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mcp-aggregator/app/admin"
)

func TestFoundToolsFitTheTerminal(t *testing.T) {
	t.Parallel()
	answer := `{"tools":[{"name":"a.short","score":0.5,"description":"` + strings.Repeat("word ", 50) + `"},` +
		`{"name":"a.\u001b[2J","score":0.25,"description":"","signature":"(` + strings.Repeat("\\u0007", 100) + `)"}]}`
	for width, want := range map[int]string{
		0:  "a.short    0.50   " + strings.Repeat("word ", 20) + "…\n",
		50: "a.short    0.50   word word word word word word…\n",
		10: "a.short    0.50   word word word word …\n",
	} {
		var sent, printed bytes.Buffer
		service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(&sent, r.Body)
			answerJSON(http.StatusOK, answer)(w, r)
		}))
		t.Cleanup(service.Close)
		client := admin.NewClient(admin.Options{Address: service.URL, Stdout: &printed, Width: width})
		if err := client.SearchTools(t.Context(), admin.Search{Query: `a "b"`, Limit: 3, Servers: []string{"x"}}, false); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(printed.String(), want) {
			t.Errorf("width %d: printed\n%s, want\n%s", width, &printed, want)
		}
		for line := range strings.Lines(printed.String()) {
			if n := len([]rune(line)) - 1; width == 50 && n > width {
				t.Errorf("width %d: %d characters: %s", width, n, line)
			}
		}
		if got, want := sent.String(), `{"query":"a \"b\"","server_filter":["x"],"limit":3}`; got != want {
			t.Errorf("sent %s, want %s", got, want)
		}
	}
}

func TestWhatIsNoAnswerToASearch(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{`{}`, `{"tools":7}`, `{"tools":null}`} {
		client, printed := answering(t, answerJSON(http.StatusOK, answer))
		err := client.SearchTools(t.Context(), admin.Search{Query: "x", Limit: 1}, false)
		if err == nil || !strings.Contains(err.Error(), "is not mcp-aggregator") || printed.Len() > 0 {
			t.Errorf("%s: %v, printed %q", answer, err, printed)
		}
	}
}
