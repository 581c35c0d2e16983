package admin_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"mcp-aggregator/app/admin"
)

// answering is a client of a service that answers every request so, and what the
// client prints.
func answering(t *testing.T, handle http.HandlerFunc) (*admin.Client, *bytes.Buffer) {
	t.Helper()
	return clientOf(t, handle, time.Millisecond)
}

// withoutTimeout is answering for a client with a long timeout.
func withoutTimeout(t *testing.T, handle http.HandlerFunc) (*admin.Client, *bytes.Buffer) {
	t.Helper()
	return clientOf(t, handle, time.Hour)
}

func clientOf(t *testing.T, handle http.HandlerFunc, timeout time.Duration) (*admin.Client, *bytes.Buffer) {
	t.Helper()
	service := httptest.NewServer(handle)
	t.Cleanup(service.Close)
	t.Cleanup(http.DefaultTransport.(*http.Transport).CloseIdleConnections)
	var printed bytes.Buffer
	return admin.NewClient(admin.Options{
		Address: service.URL + "/below/", Token: "right", Stdout: &printed, ConnectTimeout: timeout,
	}), &printed
}

// answerJSON answers every request with JSON.
func answerJSON(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func TestAResultIsPrintedWithoutWhatTheServiceSaysOfTheCall(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		answer, result string
		failed         bool
	}{
		"it is the last member":                 {`{"content":[],"metadata":{"routed_to":"a"}}`, `{"content":[]}`, false},
		"it is the only member":                 {`{"metadata":{}}`, `{}`, false},
		"the result has a member of that name":  {`{"metadata":1,"aggregator_metadata":{}}`, `{"metadata":1}`, false},
		"literals, order and spaces are kept":   {`{ "b":1.0e0, "a":"\u0061","a":2 ,"metadata":{}}`, `{ "b":1.0e0, "a":"\u0061","a":2}`, false},
		"an error of the tool is a result, too": {`{"isError":true,"metadata":{}}`, `{"isError":true}`, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, printed := answering(t, answerJSON(http.StatusOK, test.answer))
			fine, err := client.CallTool(t.Context(), admin.Call{Tool: "a.b"})
			if err != nil || fine == test.failed || printed.String() != test.result+"\n" {
				t.Errorf("%v, %v, printed %s", fine, err, printed)
			}
		})
	}
}

func TestArgumentsAreSentAsTheyAre(t *testing.T) {
	t.Parallel()
	var path, token, body string
	client, _ := answering(t, func(w http.ResponseWriter, r *http.Request) {
		sent, _ := io.ReadAll(r.Body)
		path, token, body = r.URL.Path, r.Header.Get("Authorization"), string(sent)
		answerJSON(http.StatusOK, `{"metadata":{}}`)(w, r)
	})
	if _, err := client.CallTool(t.Context(), admin.Call{Tool: `a."b`, Arguments: []byte("{ \"n\":1.0,\n\"n\":2}")}); err != nil {
		t.Fatal(err)
	}
	if want := "{\"name\":\"a.\\\"b\",\"arguments\":{ \"n\":1.0,\n\"n\":2}}"; body != want || path != "/below/api/v1/tools/call" || token != "Bearer right" {
		t.Errorf("%s %s %s, want %s", path, token, body, want)
	}
}

func TestErrorsNameTheProblemAndTheFix(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		answer http.HandlerFunc
		want   string
	}{
		"the service redirects": {
			http.RedirectHandler("/elsewhere", http.StatusFound).ServeHTTP, "(with status 302) is not mcp-aggregator: see --address",
		},
		"the service is lost": {
			func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Length", "100")
				_, _ = io.WriteString(w, "{")
			}, "closed the connection before its response was complete: unexpected EOF",
		},
		"the answer is half of one": {answerJSON(http.StatusOK, `{"servers":[`), "is not mcp-aggregator"},
		"the answer is of another":  {answerJSON(http.StatusOK, `{"servers":{}}`), "is not mcp-aggregator"},
		"no content":                {answerJSON(http.StatusNoContent, ""), "is not mcp-aggregator"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, printed := answering(t, test.answer)
			err := client.ListServers(t.Context(), nil, false)
			if err == nil || !strings.Contains(err.Error(), test.want) || printed.Len() > 0 {
				t.Errorf("%v, printed %q", err, printed)
			}
		})
	}
}

func TestWaitingForAConnectionHasAnEnd(t *testing.T) {
	t.Parallel()
	client, printed := answering(t, answerJSON(http.StatusCreated, `{"id":"1","name":"slow","status":"CONNECTING"}`))
	err := client.Add(t.Context(), admin.Draft{Name: "slow", Command: []string{"x"}}, true)
	want := `server "slow" is registered, but still CONNECTING after 1ms; see: mcp-aggregator servers list`
	if err == nil || err.Error() != want || printed.Len() > 0 {
		t.Errorf("%v, printed %q", err, printed)
	}
}
