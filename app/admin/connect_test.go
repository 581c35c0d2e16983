package admin_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

const (
	failedBefore = `{"id":"1","name":"a","status":"ERROR","error_message":"no key","updated_at":"1"}`
	connecting   = `{"status":"CONNECTING","message":"Connection initiated"}`
)

// records answers with one record after the other, and to connect with that.
func records(connect string, shown ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body := connect
		switch {
		case strings.HasSuffix(r.URL.Path, "/servers"):
			body = `{"servers":[` + shown[0] + `]}`
		case r.Method == http.MethodGet:
			shown = shown[min(1, len(shown)-1):]
			body = shown[0]
		}
		answerJSON(http.StatusOK, body)(w, r)
	}
}

func TestConnectPrintsTheOutcome(t *testing.T) {
	t.Parallel()
	const notHere = `{"status":"DISCONNECTED","message":"another replica runs it"}`
	record := func(status, reason string, updated int) string {
		return fmt.Sprintf(`{"id":"1","name":"a","status":%q,"error_message":%q,"updated_at":"%d"}`, status, reason, updated)
	}
	for name, test := range map[string]struct {
		handle       http.HandlerFunc
		wait         bool
		printed, err string
	}{
		"at once":                               {records(connecting, failedBefore), false, "a: CONNECTING\n", ""},
		"which was done":                        {records(`{"status":"CONNECTED"}`, failedBefore), false, "a: CONNECTED\n", ""},
		"at another replica":                    {records(notHere, failedBefore), false, "a: DISCONNECTED here: another replica runs it\n", ""},
		"at another replica, with a wait":       {records(notHere, failedBefore), true, "", `server "a" is not connected here: another replica runs it`},
		"after a wait":                          {records(connecting, failedBefore, failedBefore, record("CONNECTING", "", 2), record("CONNECTED", "", 3)), true, "a: CONNECTED\n", ""},
		"in vain, after a wait, as before":      {records(connecting, failedBefore, failedBefore, record("CONNECTING", "", 2), record("ERROR", "no key", 3)), true, "a: ERROR\n", `server "a" is registered, but not connected: no key`},
		"of one that was disconnected":          {records(connecting, record("DISCONNECTED", "", 1), record("DISCONNECTED", "", 2), record("DEGRADED", "no list", 3)), true, "a: DEGRADED\n", ""},
		"of one that another replica was given": {records(connecting, record("DISCONNECTED", "", 1), record("DISCONNECTED", "another replica runs it", 2)), true, "a: DISCONNECTED\n", `server "a" is registered, but not connected: another replica runs it`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, printed := withoutTimeout(t, test.handle)
			err := client.Connect(t.Context(), "a", test.wait)
			if said := fmt.Sprint(err); printed.String() != test.printed || said != test.err && (err != nil || test.err != "") {
				t.Errorf("printed %q, %v", printed, err)
			}
		})
	}
}

func TestConnectDoesNotWaitForever(t *testing.T) {
	t.Parallel()
	client, printed := answering(t, records(connecting, failedBefore))
	err := client.Connect(t.Context(), "a", true)
	if err == nil || !strings.Contains(err.Error(), "still ERROR after 1ms") || printed.Len() > 0 {
		t.Errorf("%v, printed %q", err, printed)
	}
}
