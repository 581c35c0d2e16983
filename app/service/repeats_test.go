package service_test

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"mcp-aggregator/app/service"
	"mcp-aggregator/modules/child"
	"mcp-aggregator/testutil"
)

// formsOf are the ways in which a server may repeat a secret.
func formsOf(secret string) []string {
	raw := []byte(secret)
	return []string{
		secret, url.QueryEscape(secret), url.PathEscape(secret), strings.ToLower(url.QueryEscape(secret)),
		base64.StdEncoding.EncodeToString(raw), base64.RawURLEncoding.EncodeToString(raw),
		base64.StdEncoding.EncodeToString(append([]byte("anna:"), raw...)), hex.EncodeToString(raw),
	}
}

// moments are the messages in which a server repeats a secret.
var moments = []string{"initialize", "tools/list", "status", "stderr"}

// repeating returns the response of a server that repeats a secret at that moment; "" for
// a message without response.
func repeating(line []byte, moment, told string) string {
	var m struct {
		ID     json.RawMessage
		Method string
	}
	if json.Unmarshal(line, &m) != nil || m.ID == nil {
		return ""
	}
	result := `"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}`
	if m.Method == moment || m.Method != "initialize" {
		text, _ := json.Marshal("repeats " + told)
		result = fmt.Sprintf(`"error":{"code":-32000,"message":%s}`, text)
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, m.ID, result)
}

func repeatingChild(moment, told string) testutil.Program {
	return func(_ context.Context, stdio testutil.Stdio) child.Exit {
		if moment == "stderr" || moment == "status" {
			_, _ = io.WriteString(stdio.Err, "repeats "+told+"\n") // a reader that is gone hears nothing
			return "exit status 1"
		}
		for lines := bufio.NewScanner(stdio.In); lines.Scan(); {
			if answer := repeating(lines.Bytes(), moment, told); answer != "" {
				testutil.Say(stdio.Out, "%s", answer)
			}
		}
		return "exit status 0"
	}
}

func repeatingServer(t *testing.T, moment, told string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		answer := repeating(body, moment, told)
		switch {
		case r.Method != http.MethodPost && r.URL.Path != "/sse":
			w.WriteHeader(http.StatusMethodNotAllowed)
		case r.URL.Path == "/sse" || moment == "status" || moment == "stderr":
			http.Error(w, "repeats "+told, http.StatusUnauthorized)
		case answer == "":
			w.WriteHeader(http.StatusAccepted)
		default:
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, answer)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// No message shows what the API hides of a configuration, in whatever form and message a
// server repeats it.
func TestWhatIsHiddenIsSaidNowhere(t *testing.T) {
	const token, password = testutil.Canary + "/t+k%1~", "p@" + testutil.Canary + " w:1"
	encoded := base64.StdEncoding.EncodeToString([]byte("anna:" + password))
	inQuery, inUser := url.QueryEscape(token), url.UserPassword("anna", password).String()
	type kept struct{ transport, connection, secret string }
	for name, k := range map[string]kept{
		"bearer":     {"HTTP", fmt.Sprintf(`{"base_url":"URL","headers":{"Authorization":%q}}`, "Bearer "+token), token},
		"basic":      {"HTTP", fmt.Sprintf(`{"base_url":"URL","headers":{"Authorization":%q}}`, "Basic "+encoded), password},
		"cookie":     {"SSE", fmt.Sprintf(`{"url":"URL/sse","headers":{"Cookie":%q}}`, "a=b; session="+token), token},
		"parameter":  {"HTTP", fmt.Sprintf(`{"base_url":%q}`, "URL/mcp?sig="+inQuery), token},
		"reference":  {"HTTP", `{"base_url":"URL","headers":{"Authorization":"Bearer ${SECRET_WORD}"}}`, testutil.Canary},
		"mcp-remote": {"STDIO", fmt.Sprintf(`{"command":"npx","args":["mcp-remote","http://h","--header",%q]}`, "Authorization: Bearer "+token), token},
		"flag":       {"STDIO", fmt.Sprintf(`{"command":"x","args":["--api-key",%q]}`, token), token},
		"variable":   {"STDIO", fmt.Sprintf(`{"command":"docker","args":["-e",%q]}`, "NAME_PASS="+password), password},
		"user":       {"STDIO", fmt.Sprintf(`{"command":"x","args":[%q]}`, "postgres://"+inUser+"@h"), password},
		"list":       {"STDIO", fmt.Sprintf(`{"command":"x","args":[%q]}`, "http://h,https://"+inQuery+"@h,http://h"), token},
		"env":        {"STDIO", fmt.Sprintf(`{"command":"x","env":{"DATABASE_URL":%q}}`, "redis://"+inUser+"@h"), password},
	} {
		t.Run(name, func(t *testing.T) {
			forms := formsOf(k.secret)
			programs := testutil.Spawner{}
			for _, moment := range moments {
				programs[strings.ReplaceAll(moment, "/", "-")] = repeatingChild(moment, strings.Join(forms, " "))
			}
			s := start(t, programs, func(o *service.Options) { o.Debug = true })
			var paths []string
			for _, moment := range moments {
				connection := strings.ReplaceAll(k.connection, "URL/", repeatingServer(t, moment, strings.Join(forms, " "))+"/")
				connection = strings.ReplaceAll(connection, `"URL"`, `"`+repeatingServer(t, moment, strings.Join(forms, " "))+`"`)
				id := s.register(strings.ReplaceAll(moment, "/", "-"), k.transport, connection).ID
				if got := s.failed(id).Error; !strings.Contains(got, "repeats") || !strings.Contains(got, "[redacted]") {
					t.Errorf("%s: the error is %q", moment, got)
				}
				paths = append(paths, "/aggregator/servers/"+id, "/aggregator/servers/"+id+"/history")
			}
			for _, path := range append(paths, "/aggregator/servers") {
				_, text := s.rest(http.MethodGet, path, "")
				saysNone(t, path, text, forms)
			}
			c := s.connect("test", "{}")
			saysNone(t, "list_servers", c.request(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_servers","arguments":{}}}`), forms)
			s.stop()
			saysNone(t, "the log", s.log.String(), forms)
		})
	}
}

// failed waits until connecting or listing a server has failed.
func (s *running) failed(id string) (now shown) {
	s.t.Helper()
	s.until("a failure", func() bool {
		now = s.get(id)
		return now.Error != ""
	})
	return now
}

func saysNone(t *testing.T, what, text string, forms []string) {
	t.Helper()
	if text == "" {
		t.Errorf("%s: there is nothing", what)
	}
	for i, form := range forms {
		if strings.Contains(text, form) {
			t.Errorf("%s: form %d, %q, is in %s", what, i, form, text)
		}
	}
}
