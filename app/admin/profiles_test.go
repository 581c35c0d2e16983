package admin_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"mcp-aggregator/app/admin"
)

func TestOnlyWhatIsGivenOfAProfileIsSent(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		do   func(ctx context.Context, c *admin.Client) error
		want string
	}{
		"a new profile of a name": {
			func(ctx context.Context, c *admin.Client) error { return c.AddProfile(ctx, "a", admin.ProfileChange{}) },
			`POST /below/api/v1/profiles {"name":"a"}`,
		},
		"all of a new profile": {
			func(ctx context.Context, c *admin.Client) error {
				return c.AddProfile(ctx, "a", admin.ProfileChange{
					Description: new("d"), Servers: []string{"s"}, Allow: []string{"<*>"}, Deny: []string{"y"}, Pin: []string{"z"}, Mode: "lean",
				})
			},
			`POST /below/api/v1/profiles {"allow":["\u003c*\u003e"],"deny":["y"],"description":"d","mode":"lean","name":"a","pin":["z"],"servers":["s"]}`,
		},
		"a change to nothing": {
			func(ctx context.Context, c *admin.Client) error {
				return c.UpdateProfile(ctx, "a/b", admin.ProfileChange{Description: new(""), Deny: []string{}})
			},
			`PATCH /below/api/v1/profiles/a%2Fb {"deny":[],"description":""}`,
		},
		"a removal": {
			func(ctx context.Context, c *admin.Client) error { return c.RemoveProfile(ctx, "a") },
			`DELETE /below/api/v1/profiles/a `,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var sent string
			client, _ := answering(t, func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				sent = r.Method + " " + r.URL.EscapedPath() + " " + string(body)
				if r.Method == http.MethodDelete {
					w.WriteHeader(http.StatusNoContent)
					return
				}
				answerJSON(http.StatusOK, `{"name":"a"}`)(w, r)
			})
			if err := test.do(t.Context(), client); err != nil || sent != test.want {
				t.Errorf("%v, sent\n%s, want\n%s", err, sent, test.want)
			}
		})
	}
}

func TestProfilesCannotActOnATerminal(t *testing.T) {
	t.Parallel()
	const hostile = `{"name":"\u001b[2J","description":"a\nb\u001b","servers":["\u202e"],"unknown_servers":["\u202e"],"allow":["\r"],"deny":["\u0007"],"pin":["\u0000"],"mode":"\u001b"}`
	for name, test := range map[string]struct {
		answer string
		do     func(ctx context.Context, c *admin.Client) error
	}{
		"a list": {`{"profiles":[` + hostile + `]}`, func(ctx context.Context, c *admin.Client) error { return c.ListProfiles(ctx, false) }},
		"one":    {hostile, func(ctx context.Context, c *admin.Client) error { return c.ShowProfile(ctx, "a", false) }},
		"a change": {hostile, func(ctx context.Context, c *admin.Client) error {
			return c.UpdateProfile(ctx, "a", admin.ProfileChange{})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, printed := answering(t, answerJSON(http.StatusOK, test.answer))
			if err := test.do(t.Context(), client); err != nil || !strings.Contains(printed.String(), `\x1b[2J`) {
				t.Errorf("%v, printed %q", err, printed)
			}
			if i := strings.IndexAny(printed.String(), "\x1b\r\x07\x00\u202e"); i >= 0 {
				t.Errorf("printed %q", printed)
			}
		})
	}
}

func TestWhatIsNoProfileIsNotOfTheService(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]func(ctx context.Context, c *admin.Client) error{
		"a list": func(ctx context.Context, c *admin.Client) error { return c.ListProfiles(ctx, false) },
		"one":    func(ctx context.Context, c *admin.Client) error { return c.ShowProfile(ctx, "a", true) },
		"a change": func(ctx context.Context, c *admin.Client) error {
			return c.UpdateProfile(ctx, "a", admin.ProfileChange{})
		},
	} {
		for _, answer := range []string{`{}`, `{"profiles":{},"name":[]}`} {
			client, printed := answering(t, answerJSON(http.StatusOK, answer))
			if err := do(t.Context(), client); err == nil || !strings.Contains(err.Error(), "is not mcp-aggregator") || printed.Len() > 0 {
				t.Errorf("%s: %v, printed %q", name, err, printed)
			}
		}
	}
}
