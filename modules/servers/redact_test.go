package servers_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mcp-aggregator/modules/servers"
)

func TestWhatIsShownOfAValue(t *testing.T) {
	for name, tt := range map[string]struct{ value, want string }{
		"nothing":                                   {"", ""},
		"a literal":                                 {"hunter2", "[redacted]"},
		"a reference":                               {"${TOKEN}", "${TOKEN}"},
		"a reference without braces":                {"$TOKEN", "$TOKEN"},
		"a password that begins with a dollar":      {"$ecret", "[redacted]"},
		"two references":                            {"${A}$B", "${A}$B"},
		"a reference and a literal":                 {"${A}x", "[redacted]"},
		"a scheme and a reference":                  {"Bearer ${TOKEN}", "Bearer ${TOKEN}"},
		"a scheme in lower case":                    {"basic $TOKEN", "basic $TOKEN"},
		"a scheme and a literal":                    {"Bearer hunter2", "[redacted]"},
		"another word and a reference":              {"hunter2 ${TOKEN}", "[redacted]"},
		"a reference with a default":                {"${TOKEN:-hunter2}", "[redacted]"},
		"a literal that looks like a reference":     {"$${TOKEN}", "[redacted]"},
		"a reference and a line break":              {"${TOKEN}\nhunter2", "[redacted]"},
		"what stands for a secret already":          {"[redacted]", "[redacted]"},
		"a scheme and two references for Basic":     {"Basic ${USER}${PASSWORD}", "Basic ${USER}${PASSWORD}"},
		"a reference that holds a text, not a name": {"${not a name}", "[redacted]"},
	} {
		t.Run(name, func(t *testing.T) {
			c := servers.Connection{Env: map[string]string{"X": tt.value}, Headers: map[string]string{"X": tt.value}}.Redact()
			if c.Env["X"] != tt.want || c.Headers["X"] != tt.want {
				t.Errorf("env %q, headers %q, want %q", c.Env["X"], c.Headers["X"], tt.want)
			}
		})
	}
}

func TestWhatIsShownOfArguments(t *testing.T) {
	for name, tt := range map[string]struct{ args, want string }{
		"no secrets":                     {"-y server --verbose /path", "-y server --verbose /path"},
		"a value behind a flag":          {"--api-key k --token t x", "--api-key [redacted] --token [redacted] x"},
		"a value joined to a flag":       {"--password=p --x=1", "--password=[redacted] --x=1"},
		"a variable for another program": {"run -e GITHUB_TOKEN=t -e A=b", "run -e GITHUB_TOKEN=[redacted] -e A=b"},
		"references":                     {"--token ${T} --key=$K", "--token ${T} --key=$K"},
		"a flag behind a flag":           {"--auth --x", "--auth --x"},
		"a URL with a password":          {"postgres://u:p@h/db", "postgres://u:[redacted]@h/db"},
		"a URL with a key":               {"https://x?a=1&api_key=k#f", "https://x?a=1&api_key=[redacted]#f"},
	} {
		t.Run(name, func(t *testing.T) {
			c := servers.Connection{Args: strings.Fields(tt.args)}.Redact()
			if got := strings.Join(c.Args, " "); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestWhatIsShownOfAURL(t *testing.T) {
	for name, tt := range map[string]struct{ url, want string }{
		"no parameters":                {"https://x/y", "https://x/y"},
		"parameters that hide nothing": {"https://x?q=1&q=2#t", "https://x?q=1&q=2#t"},
		"a secret":                     {"https://x?token=t&q=1", "https://x?token=[redacted]&q=1"},
		"a reference":                  {"https://x?token=${T}", "https://x?token=${T}"},
		"an empty secret":              {"https://x?token=&key", "https://x?token=&key"},
		"a fragment":                   {"https://x?key=k#frag", "https://x?key=[redacted]#frag"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := servers.RedactURL(tt.url); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestRedactingChangesNothingElse(t *testing.T) {
	c := servers.Connection{Command: "c", Args: []string{"a"}, Cwd: "/x"}
	if diff := cmp.Diff(c, c.Redact()); diff != "" {
		t.Error(diff)
	}
	if got := (servers.Connection{}).Redact(); got.Args != nil || got.Env != nil || got.Headers != nil {
		t.Errorf("what is not there became %+v", got)
	}
	env := map[string]string{"A": "secret"}
	servers.Connection{Env: env}.Redact()
	if env["A"] != "secret" {
		t.Error("the record itself was redacted")
	}
}

func TestARedactedConnectionCanBeSentBack(t *testing.T) {
	stored := servers.Connection{
		Args: []string{"--token", "t1", "--key=k1", "--token", "t2", "https://x?key=k2"},
		Env:  map[string]string{"A": "a"}, Headers: map[string]string{"H": "h"}, URL: "https://x?key=k",
	}
	for name, tt := range map[string]struct{ sent, want servers.Connection }{
		"as it was shown": {stored.Redact(), stored},
		"a command line, headers and addresses": {
			servers.Connection{Command: "env T_PAT=[redacted] x", Args: []string{"-H", "A: [redacted]", "http://[redacted]@h,redis://u:[redacted]@h"}},
			servers.Connection{Command: "env T_PAT=p1 x", Args: []string{"-H", "A: a1", "http://t1@h,redis://u:p@1@h"}},
		},
		"arguments that moved, and new ones": {
			servers.Connection{Args: []string{"new", "--key=[redacted]", "--token", "[redacted]"}, URL: "https://x/z"},
			servers.Connection{Args: []string{"new", "--key=k1", "--token", "t1"}, URL: "https://x/z"},
		},
		"nothing is told to another host": {
			servers.Connection{Headers: map[string]string{"H": "[redacted]"}, URL: "https://x.y/z"},
			servers.Connection{Headers: map[string]string{"H": "[redacted]"}, URL: "https://x.y/z"},
		},
		"nothing is told to another program": {
			servers.Connection{Command: "other", Env: map[string]string{"A": "[redacted]"}, URL: "https://x"},
			servers.Connection{Command: "other", Env: map[string]string{"A": "[redacted]"}, URL: "https://x"},
		},
		"a new secret": {
			servers.Connection{Env: map[string]string{"A": "b"}, Headers: map[string]string{"H": "i"}, URL: "https://y"},
			servers.Connection{Env: map[string]string{"A": "b"}, Headers: map[string]string{"H": "i"}, URL: "https://y"},
		},
		"what was never stored stays a problem": {
			servers.Connection{Env: map[string]string{"B": "[redacted]"}, Headers: map[string]string{"I": "[redacted]"}, Args: []string{"--other", "[redacted]"}, URL: "https://y?key=[redacted]"},
			servers.Connection{Env: map[string]string{"B": "[redacted]"}, Headers: map[string]string{"I": "[redacted]"}, Args: []string{"--other", "[redacted]"}, URL: "https://y?key=[redacted]"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			stored := stored
			if strings.HasPrefix(tt.want.Command, "env") {
				stored = tt.want
			}
			if diff := cmp.Diff(tt.want, tt.sent.Restore(stored)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestAnyConnectionSurvivesBeingShownAndSentBack(t *testing.T) {
	text := rapid.StringMatching(`(--(token|key|x)(=[a-z$]{0,3})?|[a-z]{1,4}|\$\{[A-Z]\}|https://h\?(key|q)=[a-z]{0,2}|://a:b@|-H|A: [a-z]{0,2}|X_PAT=[a-z]{0,2}|(http|x)://[a-z]@h,?)`)
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.MapOf(rapid.StringMatching(`[A-C]`), text)
		c := servers.Connection{
			Command: text.Draw(t, "command"), Args: rapid.SliceOf(text).Draw(t, "args"), URL: text.Draw(t, "url"),
			Env: values.Draw(t, "env"), Headers: values.Draw(t, "headers"),
		}
		if diff := cmp.Diff(c, c.Redact().Restore(c)); diff != "" {
			t.Fatalf("-want +got\n%s", diff)
		}
	})
}
