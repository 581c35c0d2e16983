package rest_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcp-aggregator/modules/profiles"
)

// The order of members is that of the type.
const shownProfile = `{"name":"a","description":"d","servers":["github","later"],"unknown_servers":["later"],"allow":["*.x"],"deny":["<"],"pin":["a.x"],` +
	`"mode":"lean","created_at":"2026-01-31T11:00:00Z","updated_at":"2026-01-31T11:00:00Z"}`

func TestAProfileIsKeptAsItWasSent(t *testing.T) {
	f := newFakes()
	address := f.start(t)
	made := send(t, address, http.MethodPost, views, `{"mode":"lean","pin":["a.x"],"deny":["\u003c"],"allow":["*.x"],"servers":["github","later"],"description":"d","name":"a"}`)
	if made.status != http.StatusCreated || made.body != shownProfile || made.header.Get("Location") != views+"/a" {
		t.Fatalf("%d %s at %s", made.status, made.body, made.header.Get("Location"))
	}
	if got := send(t, address, http.MethodGet, views+"/a", ""); got.status != http.StatusOK || got.body != shownProfile {
		t.Errorf("%d %s", got.status, got.body)
	}
	least := send(t, address, http.MethodPost, views, `{"name":"b"}`)
	const shown = `{"name":"b","description":"","servers":[],"unknown_servers":[],"allow":[],"deny":[],"pin":[],` +
		`"mode":"full","created_at":"2026-01-31T11:00:00Z","updated_at":"2026-01-31T11:00:00Z"}`
	if least.status != http.StatusCreated || least.body != shown {
		t.Errorf("%d %s", least.status, least.body)
	}
	list := send(t, address, http.MethodGet, views, "")
	if prefix := `{"profiles":[` + shownProfile + `,` + shown + `,{"name":"readers"`; list.status != http.StatusOK || !strings.HasPrefix(list.body, prefix) || get(t, list.body, "total") != 3.0 {
		t.Errorf("%d %s", list.status, list.body)
	}
	if got := send(t, address, http.MethodDelete, views+"/a", ""); got.status != http.StatusNoContent || got.body != "" {
		t.Errorf("%d %s", got.status, got.body)
	}
	if got := send(t, address, http.MethodGet, views+"/a", ""); got.status != http.StatusNotFound {
		t.Errorf("%d %s", got.status, got.body)
	}
}

func TestWhatAChangeOfAProfileChanges(t *testing.T) {
	before := profiles.Profile{
		Name: "a", Description: "d", Servers: []string{"s"}, Allow: []string{"x"}, Deny: []string{"y"}, Pin: []string{"z"},
		Mode: profiles.Lean, CreatedAt: noon, UpdatedAt: noon,
	}
	for name, test := range map[string]struct {
		body string
		edit func(*profiles.Profile)
	}{
		"nothing":         {`{}`, func(*profiles.Profile) {}},
		"the mode":        {`{"mode":"full"}`, func(p *profiles.Profile) { p.Mode = profiles.Full }},
		"a list":          {`{"allow":["a","b"]}`, func(p *profiles.Profile) { p.Allow = []string{"a", "b"} }},
		"to empty values": {`{"description":"","servers":[],"allow":[],"deny":[],"pin":[]}`, func(p *profiles.Profile) { *p = profiles.Profile{Name: "a", Mode: profiles.Lean} }},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFakes()
			f.profiles.byName["a"] = before
			want := before
			test.edit(&want)
			if got := send(t, f.start(t), http.MethodPatch, views+"/a", test.body); got.status != http.StatusOK || get(t, got.body, "mode") != string(want.Mode) {
				t.Fatalf("%d %s", got.status, got.body)
			}
			if got := f.profiles.byName["a"]; !got.Equal(want) {
				t.Errorf("%+v, want %+v", got, want)
			}
		})
	}
}

func TestEverythingThatIsWrongWithAProfileIsListedInItsOrder(t *testing.T) {
	const known = "is unknown: use allow, deny, description, mode, name, pin, servers"
	tooMany := `["` + strings.Join(slices.Repeat([]string{"x"}, 1001), `","`) + `"]`
	for name, test := range map[string]struct{ method, body, want string }{
		"nothing in it": {http.MethodPost, `{}`, "/name: is missing: give the profile a name"},
		"all sorts in the body's order": {
			http.MethodPost, `{"mode":"LEAN","pin":["[",1,"ok"],"x":1,"deny":"*","allow":["",null],"servers":["a.b"],"description":7,"name":"a b"}`,
			"/mode: is unknown: use full or lean\n" +
				`/pin/0: is malformed; close each [ with a ], and write a \ twice` + "\n/pin/1: is a number: make it a string\n" +
				"/x: " + known + "\n/deny: is a string: make it an array\n" +
				"/allow/0: is empty; * matches every tool\n/allow/1: is null: leave it out, or make it a string\n" +
				"/servers/0: is not the name of a server: those have letters, digits, _ and - only, at most 64; patterns belong in allow\n" +
				"/description: is a number: make it a string\n/name: may have letters, digits, _ and - only, since it is part of an address",
		},
		"an empty mode":         {http.MethodPost, `{"name":"a","mode":""}`, "/mode: is missing: use full or lean"},
		"too many patterns":     {http.MethodPost, `{"name":"a","allow":["y"],"pin":` + tooMany + `}`, "/pin: brings the patterns to 1002: use at most 1000 in allow, deny and pin together"},
		"deep unknown members":  {http.MethodPost, `{"name":"a","x":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}`, "/x: " + known},
		"a change of the name":  {http.MethodPatch, `{"name":"b"}`, "/name: is unknown: use allow, deny, description, mode, pin, servers"},
		"a change to null":      {http.MethodPatch, `{"servers":null}`, "/servers: is null: leave it out, or make it an array"},
		"a change to a pattern": {http.MethodPatch, `{"deny":["[]"]}`, `/deny/0: is malformed; close each [ with a ], and write a \ twice`},
	} {
		t.Run(name, func(t *testing.T) {
			path := views
			if test.method == http.MethodPatch {
				path += "/readers"
			}
			got := send(t, newFakes().start(t), test.method, path, test.body)
			if got.status != http.StatusUnprocessableEntity || get(t, got.body, "code") != "invalid_request" {
				t.Fatalf("%d %s", got.status, got.body)
			}
			if diff := cmp.Diff(test.want, faults(t, got.body)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}
