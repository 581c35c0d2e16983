package redact_test

import (
	"encoding/base64"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcp-aggregator/modules/redact"
)

// Each case has the arguments, how they are shown, and the parts that must be secrets.
func TestArguments(t *testing.T) {
	for name, tt := range map[string]struct{ args, shown, secrets []string }{
		"no secrets":                          {args: []string{"-y", "server", "--path", "/x", "--encode", "a=b", "keycloak:22.0"}},
		"after a flag":                        {[]string{"--api-key", "sk-1"}, []string{"--api-key", "[redacted]"}, []string{"sk-1"}},
		"joined to a flag":                    {[]string{"--api-key=sk=1"}, []string{"--api-key=[redacted]"}, []string{"sk=1"}},
		"after --pass":                        {[]string{"--pass", "hunter2"}, []string{"--pass", "[redacted]"}, []string{"hunter2"}},
		"after --pwd":                         {[]string{"--pwd=hunter2"}, []string{"--pwd=[redacted]"}, []string{"hunter2"}},
		"after -jwt":                          {[]string{"-jwt", "e.y.j"}, []string{"-jwt", "[redacted]"}, []string{"e.y.j"}},
		"after a flag of several words":       {[]string{"-dbPass", "pw12", "--GITHUB_PAT", "ghp1"}, []string{"-dbPass", "[redacted]", "--GITHUB_PAT", "[redacted]"}, []string{"ghp1", "pw12"}},
		"a flag after a flag is not a value":  {args: []string{"--no-auth", "--verbose"}},
		"a value that begins with a dash":     {[]string{"--token", "-4bX+x", "-key", "-k/1"}, []string{"--token", "[redacted]", "-key", "[redacted]"}, []string{"-4bX+x", "-k/1"}},
		"a flag at the end has none":          {args: []string{"--token"}},
		"a variable":                          {[]string{"-e", "DB_PASS=hunter2", "MY_PAT=ghp1"}, []string{"-e", "DB_PASS=[redacted]", "MY_PAT=[redacted]"}, []string{"hunter2", "ghp1"}},
		"a variable joined to a flag":         {[]string{"--env=DB_PWD=hunter2"}, []string{"--env=DB_PWD=[redacted]"}, []string{"hunter2"}},
		"a header":                            {[]string{"--header", "Authorization: Bearer X123"}, []string{"--header", "Authorization: [redacted]"}, []string{"Bearer X123", "X123"}},
		"a header without space":              {[]string{"--header", "X-Mine:X123"}, []string{"--header", "X-Mine:[redacted]"}, []string{"X123"}},
		"a header after -H":                   {[]string{"-H", "X-Mine: X123"}, []string{"-H", "X-Mine: [redacted]"}, []string{"X123"}},
		"a header joined to -H":               {[]string{"-HX-Mine: X123"}, []string{"-HX-Mine: [redacted]"}, []string{"X123"}},
		"a header joined to a flag":           {[]string{"--header=Authorization: Token X123"}, []string{"--header=Authorization: [redacted]"}, []string{"Token X123", "X123"}},
		"a header that no flag announces":     {[]string{"add", "Authorization:Foo X123"}, []string{"add", "Authorization:[redacted]"}, []string{"Foo X123", "X123"}},
		"a header of Basic":                   {[]string{"-H", "Authorization: Basic " + basic}, []string{"-H", "Authorization: [redacted]"}, []string{"Basic " + basic, basic, unpadded, "anna:hunter2!", "hunter2!"}},
		"credentials that nothing announces":  {[]string{"Basic dTpwdzEy", "use basic auth"}, []string{"Basic [redacted]", "use basic auth"}, []string{"dTpwdzEy", "u:pw12", "pw12"}},
		"what ends with = is not cut there":   {[]string{"Authorization: Basic dTpwdzEyMw=="}, []string{"Authorization: [redacted]"}, []string{"dTpwdzEyMw==", "pw123"}},
		"a reference":                         {args: []string{"--token", "${T}", "--key=$K", "-H", "Authorization: Bearer ${T}"}},
		"a password in an address":            {[]string{"postgres://u:PW12@h/db"}, []string{"postgres://u:[redacted]@h/db"}, []string{"PW12"}},
		"a password that holds @":             {[]string{"http://u:p@X@h"}, []string{"http://u:[redacted]@h"}, []string{"p@X"}},
		"a password that holds a slash":       {[]string{"postgres://u:p/w1@h/db"}, []string{"postgres://u:[redacted]@h/db"}, []string{"p/w1"}},
		"a port is not a password":            {args: []string{"http://h:8080/@scope/x", "http://[::1]:80/@x"}},
		"a user is not a secret":              {args: []string{"ssh://git@github.com/x", "postgres://anna@h/db"}},
		"a token before a host":               {[]string{"https://TOKEN@host/x"}, []string{"https://[redacted]@host/x"}, []string{"TOKEN"}},
		"a token and no password":             {[]string{"https://TOKEN:x-oauth-basic@host"}, []string{"https://[redacted]:x-oauth-basic@host"}, []string{"TOKEN"}},
		"a list of addresses":                 {[]string{"https://a:pw11@h,https://TOK2@h,redis://:pw33@h?token=tok4,http://h"}, []string{"https://a:[redacted]@h,https://[redacted]@h,redis://:[redacted]@h?token=[redacted],http://h"}, []string{"pw11", "TOK2", "pw33", "tok4"}},
		"a list with spaces":                  {[]string{"https://a:pw11@h https://TOK2@h"}, []string{"https://a:[redacted]@h https://[redacted]@h"}, []string{"pw11", "TOK2"}},
		"parameters":                          {[]string{"http://h?api_key=a123&x=y&sig=b123;pwd=c123&pat=d123&code=e123#access_token=f123"}, []string{"http://h?api_key=[redacted]&x=y&sig=[redacted];pwd=[redacted]&pat=[redacted]&code=[redacted]#access_token=[redacted]"}, []string{"a123", "b123", "c123", "d123", "e123", "f123"}},
		"a parameter that is percent-encoded": {[]string{"http://h?api%5Fkey=a%2F1+2"}, []string{"http://h?api%5Fkey=[redacted]"}, []string{"a%2F1+2", "a/1+2", "a/1 2"}},
		"a command line":                      {[]string{"-c", `A=1 DB_PASS='x y z1' npx r --token t123 -H "X-A: b123"`}, []string{"-c", `A=1 DB_PASS='[redacted]' npx r --token [redacted] -H "X-A: [redacted]"`}, []string{"x y z1", "t123", "b123"}},
		"JSON":                                {[]string{`{"url":"https://h?token=a123","apiKey": "b123","x":"y"}`}, []string{`{"url":"https://h?token=[redacted]","apiKey": "[redacted]","x":"y"}`}, []string{"a123", "b123"}},
		"a connection string":                 {[]string{"Server=h;User Id=a;Password=b,12;Encrypt=true"}, []string{"Server=h;User Id=a;Password=[redacted];Encrypt=true"}, []string{"b,12"}},
	} {
		t.Run(name, func(t *testing.T) {
			c := redact.Connection{Args: tt.args}
			if tt.shown == nil {
				tt.shown = tt.args
			}
			if diff := cmp.Diff(tt.shown, c.Masked().Args); diff != "" {
				t.Errorf("shown: -want +got\n%s", diff)
			}
			if strings.Contains(strings.Join(tt.args, " "), "$") {
				return // Secrets expects expanded arguments
			}
			got := c.Secrets()
			for _, s := range tt.secrets {
				if !slices.Contains(got, s) {
					t.Errorf("%q is not a secret of %q", s, got)
				}
			}
			if tt.secrets == nil && len(got) > 0 {
				t.Errorf("secret are %q", got)
			}
		})
	}
}

var (
	basic    = base64.StdEncoding.EncodeToString([]byte("anna:hunter2!"))
	unpadded = strings.TrimRight(basic, "=")
)

func TestPartsOfAValueAreSecret(t *testing.T) {
	for name, tt := range map[string]struct {
		name, value string
		secrets     []string
	}{
		"a scheme":                {"X-Mine", "Bearer X123", []string{"Bearer X123", "X123"}},
		"any scheme":              {"Authorization", "AWS  X123", []string{"AWS  X123", "X123"}},
		"two words":               {"GREETING", "hello world", []string{"hello world"}},
		"Basic":                   {"Authorization", "Basic " + basic, []string{"Basic " + basic, "Basic " + unpadded, basic, unpadded, "anna:hunter2!", "hunter2!"}},
		"Basic without padding":   {"X", "basic YTpwQFhAaCBj", []string{"basic YTpwQFhAaCBj", "YTpwQFhAaCBj", "a:p@X@h c", "p@X@h c"}},
		"what Basic encodes":      {"PROXY_AUTH", "anna:hunter2", []string{"anna:hunter2", "hunter2"}},
		"an address":              {"DATABASE_URL", "postgres://u:p%40w1@h/db", []string{"postgres://u:p%40w1@h/db", "postgres://u:p@w1@h/db", "p%40w1", "p@w1"}},
		"JSON":                    {"OPENAPI_MCP_HEADERS", `{"Authorization": "Bearer X\/12"}`, []string{`{"Authorization": "Bearer X\/12"}`, `{"Authorization": "Bearer X/12"}`, `Bearer X\/12`, `Bearer X/12`, `X\/12`, `X/12`}},
		"cookies":                 {"Cookie", "theme=dark; session=0123456789", []string{"theme=dark; session=0123456789", "0123456789"}},
		"keys of a list":          {"API_KEYS", "0123456789,abcdefgh", []string{"0123456789,abcdefgh", "0123456789", "abcdefgh"}},
		"a password with an @":    {"DATABASE_URL", "postgres://u:aa@b123@h/db", []string{"postgres://u:aa@b123@h/db", "aa@b123", "b123"}},
		"space around":            {"KEY", " X123\n", []string{" X123\n", "X123"}},
		"one character":           {"DEBUG", "1", nil},
		"a word of settings":      {"MODE", "list", nil},
		"a truth":                 {"AUTH", "true", nil},
		"a bad password":          {"PASSWORD", "test", []string{"test"}},
		"an address of no secret": {"PORTAL", "http://h:8080/x", []string{"http://h:8080/x"}},
	} {
		t.Run(name, func(t *testing.T) {
			values := map[string]string{tt.name: tt.value}
			for _, c := range []redact.Connection{{Env: values}, {Headers: values}} {
				got, want := slices.Sorted(slices.Values(c.Secrets())), slices.Sorted(slices.Values(tt.secrets))
				if !slices.Equal(got, want) {
					t.Errorf("secret are %q, want %q", got, want)
				}
				if masked := c.Masked(); tt.value != "" && (masked.Env[tt.name]+masked.Headers[tt.name]) != "[redacted]" {
					t.Errorf("shown as %q", masked)
				}
			}
		})
	}
}

func TestSecretsOfTheRest(t *testing.T) {
	c := redact.Connection{Command: "env X_TOKEN=a123 npx", URL: "${BASE}?code=b123", Cwd: "/x"}
	want := redact.Connection{Command: "env X_TOKEN=[redacted] npx", URL: "${BASE}?code=[redacted]", Cwd: "/x"}
	if diff := cmp.Diff(want, c.Masked()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if got, want := c.Secrets("Bearer c1234"), []string{"Bearer c1234", "c1234", "a123", "b123"}; !slices.Equal(got, want) {
		t.Errorf("secret are %q, want %q", got, want)
	}
}
