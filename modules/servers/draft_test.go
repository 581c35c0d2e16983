package servers_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcp-aggregator/modules/servers"
)

// stdio and remote are drafts that nothing is wrong with.
func stdio(edit func(*servers.Draft)) servers.Draft {
	d := servers.Draft{Name: "a", Transport: servers.Stdio, Connection: servers.Connection{Command: "cat"}}
	edit(&d)
	return d
}

func remote(edit func(*servers.Draft)) servers.Draft {
	d := servers.Draft{Name: "a", Transport: servers.HTTP, Connection: servers.Connection{URL: "https://example.com/mcp"}}
	edit(&d)
	return d
}

func TestValidDrafts(t *testing.T) {
	for name, draft := range map[string]servers.Draft{
		"a program":                         stdio(func(*servers.Draft) {}),
		"a name of all that names may have": stdio(func(d *servers.Draft) { d.Name = "Az-09_" }),
		"the longest name":                  stdio(func(d *servers.Draft) { d.Name = strings.Repeat("a", servers.MaxName) }),
		"arguments, environment, directory": stdio(func(d *servers.Draft) {
			d.Connection = servers.Connection{Command: "cat", Args: []string{"", "-x\n"}, Env: map[string]string{"A_1": "", "a.b": "x\ny"}, Cwd: t.TempDir()}
		}),
		"a directory that begins with a reference": stdio(func(d *servers.Draft) { d.Connection.Cwd = "${HOME}/x" }),
		"streamable HTTP":                          remote(func(*servers.Draft) {}),
		"SSE":                                      remote(func(d *servers.Draft) { d.Transport = servers.SSE }),
		"plain HTTP, a port and an IPv6 address":   remote(func(d *servers.Draft) { d.Connection.URL = "http://[::1]:8080" }),
		"headers":                                  remote(func(d *servers.Draft) { d.Connection.Headers = map[string]string{"X-A": "Bearer ${T}", "y": ""} }),
		"a URL that is a reference":                remote(func(d *servers.Draft) { d.Connection.URL = "${URL}" }),
		"a URL that begins with a reference":       remote(func(d *servers.Draft) { d.Connection.URL = "$BASE/mcp" }),
		"references within a URL":                  remote(func(d *servers.Draft) { d.Connection.URL = "https://${HOST}:${PORT}/${PATH}?k=${KEY}" }),
		"an address of its health":                 stdio(func(d *servers.Draft) { d.HealthCheckURL = "http://localhost/health" }),
	} {
		t.Run(name, func(t *testing.T) {
			if problems := draft.Validate(); problems != nil {
				t.Error(problems)
			}
		})
	}
}

func TestInvalidDrafts(t *testing.T) {
	for name, tt := range map[string]struct {
		draft servers.Draft
		at    string // the pointers
		says  string // the first message
	}{
		"no name":                     {stdio(func(d *servers.Draft) { d.Name = "" }), "/name", "is missing"},
		"a name with a dot":           {stdio(func(d *servers.Draft) { d.Name = "a.b" }), "/name", "may have letters, digits, _ and - only"},
		"a name with a line break":    {stdio(func(d *servers.Draft) { d.Name = "a\n" }), "/name", "may have letters"},
		"a name that is too long":     {stdio(func(d *servers.Draft) { d.Name = strings.Repeat("a", servers.MaxName+1) }), "/name", "is too long: use at most 64"},
		"a long description":          {stdio(func(d *servers.Draft) { d.Description = strings.Repeat("a", servers.MaxDescription+1) }), "/description", "is too long"},
		"a description with NUL":      {stdio(func(d *servers.Draft) { d.Description = "\x00" }), "/description", "holds a NUL"},
		"no transport":                {stdio(func(d *servers.Draft) { d.Transport = "" }), "/transport_type", "is missing: use STDIO, SSE or HTTP"},
		"a transport in lower case":   {stdio(func(d *servers.Draft) { d.Transport = "stdio" }), "/transport_type", "is unknown: use STDIO"},
		"no command":                  {stdio(func(d *servers.Draft) { d.Connection.Command = "" }), "/connection_config/command", "is missing: STDIO needs"},
		"NUL in a command":            {stdio(func(d *servers.Draft) { d.Connection.Command = "a\x00" }), "/connection_config/command", "holds a NUL"},
		"NUL in an argument":          {stdio(func(d *servers.Draft) { d.Connection.Args = []string{"", "\x00"} }), "/connection_config/args/1", "holds a NUL"},
		"a relative directory":        {stdio(func(d *servers.Draft) { d.Connection.Cwd = "x" }), "/connection_config/cwd", "is a relative path"},
		"a variable without a name":   {stdio(func(d *servers.Draft) { d.Connection.Env = map[string]string{"": "x"} }), "/connection_config/env/", "is not a valid variable name"},
		"a variable with = and /":     {stdio(func(d *servers.Draft) { d.Connection.Env = map[string]string{"a=/~": "x"} }), "/connection_config/env/a=~1~0", "is not a valid variable name"},
		"NUL in a variable":           {stdio(func(d *servers.Draft) { d.Connection.Env = map[string]string{"A": "\x00"} }), "/connection_config/env/A", "holds a NUL"},
		"a redacted variable":         {stdio(func(d *servers.Draft) { d.Connection.Env = map[string]string{"A": servers.Redacted} }), "/connection_config/env/A", "give the secret"},
		"a redacted argument":         {stdio(func(d *servers.Draft) { d.Connection.Args = []string{"--key=[redacted]"} }), "/connection_config/args/0", "give the secret"},
		"a URL for a program":         {stdio(func(d *servers.Draft) { d.Connection.URL = "https://x" }), "/connection_config/url", "is not for STDIO: leave it out"},
		"headers for a program":       {stdio(func(d *servers.Draft) { d.Connection.Headers = map[string]string{"A": "b"} }), "/connection_config/headers", "is not for STDIO"},
		"no URL":                      {remote(func(d *servers.Draft) { d.Connection.URL = "" }), "/connection_config/url", "is missing: HTTP needs"},
		"a port that is none":         {remote(func(d *servers.Draft) { d.Connection.URL = "http://x:99999/" }), "/connection_config/url", "has an invalid port"},
		"a fragment":                  {remote(func(d *servers.Draft) { d.Connection.URL = "http://x/#f" }), "/connection_config/url", "has a fragment"},
		"a URL of files":              {remote(func(d *servers.Draft) { d.Connection.URL = "file:///x" }), "/connection_config/url", "is not an HTTP URL"},
		"a URL without a scheme":      {remote(func(d *servers.Draft) { d.Connection.URL = "example.com/x" }), "/connection_config/url", "is not an HTTP URL"},
		"a URL without a host":        {remote(func(d *servers.Draft) { d.Connection.URL = "https://:80/x" }), "/connection_config/url", "has no host"},
		"a URL with a password":       {remote(func(d *servers.Draft) { d.Connection.URL = "https://u:p@x/" }), "/connection_config/url", "holds a user or a password"},
		"a URL that is none":          {remote(func(d *servers.Draft) { d.Connection.URL = "https://a b:x" }), "/connection_config/url", "is not a URL: "},
		"a URL with a line break":     {remote(func(d *servers.Draft) { d.Connection.URL = "${A}\r\nHost: x" }), "/connection_config/url", "holds a line break"},
		"a redacted URL":              {remote(func(d *servers.Draft) { d.Connection.URL = "https://x?key=[redacted]" }), "/connection_config/url", "give the secret"},
		"a header's name with spaces": {remote(func(d *servers.Draft) { d.Connection.Headers = map[string]string{"a b": ""} }), "/connection_config/headers/a b", "is not a valid header name: use letters, digits and -"},
		"a header with a line break":  {remote(func(d *servers.Draft) { d.Connection.Headers = map[string]string{"A": "b\r\nC: d"} }), "/connection_config/headers/A", "holds a line break"},
		"a redacted header":           {remote(func(d *servers.Draft) { d.Connection.Headers = map[string]string{"A": servers.Redacted} }), "/connection_config/headers/A", "give the secret"},
		"a header twice":              {remote(func(d *servers.Draft) { d.Connection.Headers = map[string]string{"A": "1", "a": "2"} }), "/connection_config/headers/a", "appears twice"},
		"all of a program for SSE": {
			remote(func(d *servers.Draft) {
				d.Transport = servers.SSE
				d.Connection = servers.Connection{URL: "http://x", Command: "c", Args: []string{"a"}, Env: map[string]string{"E": "e"}, Cwd: "/"}
			}),
			"/connection_config/args /connection_config/command /connection_config/cwd /connection_config/env", "is not for SSE",
		},
		"a bad address of its health": {stdio(func(d *servers.Draft) { d.HealthCheckURL = "ftp://x" }), "/health_check_url", "is not an HTTP URL"},
		"several things at once": {
			stdio(func(d *servers.Draft) { d.Name, d.Connection.Command, d.HealthCheckURL = "a b", "", "x" }),
			"/name /connection_config/command /health_check_url", "may have letters",
		},
	} {
		t.Run(name, func(t *testing.T) {
			problems := tt.draft.Validate()
			if diff := cmp.Diff(tt.at, pointers(problems)); diff != "" {
				t.Fatalf("-want +got\n%s", diff)
			}
			if !strings.HasPrefix(problems[0].Message, tt.says) && !strings.Contains(problems[0].Message, tt.says) {
				t.Errorf("it says %q, want %q", problems[0].Message, tt.says)
			}
		})
	}
}

func pointers(problems servers.Problems) string {
	var at []string
	for _, p := range problems {
		at = append(at, p.Pointer)
	}
	return strings.Join(at, " ")
}

func TestInvalidChanges(t *testing.T) {
	program := servers.Server{Name: "old", Transport: servers.Stdio, Connection: servers.Connection{Command: "cat"}}
	distant := servers.Server{Name: "old", Transport: servers.SSE, Connection: servers.Connection{URL: "https://x"}}
	for name, tt := range map[string]struct {
		change  servers.Change
		current servers.Server
		at      string
	}{
		"nothing":                                  {servers.Change{}, program, ""},
		"a name":                                   {servers.Change{Name: new("b")}, program, ""},
		"a name that is none":                      {servers.Change{Name: new("")}, program, "/name"},
		"a long description":                       {servers.Change{Description: new(strings.Repeat("x", 5000))}, program, "/description"},
		"an empty description":                     {servers.Change{Description: new("")}, program, ""},
		"no address of its health any more":        {servers.Change{HealthCheckURL: new("")}, program, ""},
		"a bad address of its health":              {servers.Change{HealthCheckURL: new("x")}, program, "/health_check_url"},
		"a connection of the same transport":       {servers.Change{Connection: &servers.Connection{Command: "ls"}}, program, ""},
		"a connection of another transport":        {servers.Change{Connection: &servers.Connection{URL: "https://x"}}, program, "/connection_config/command /connection_config/url"},
		"a transport and its connection":           {servers.Change{Transport: new(servers.HTTP), Connection: &servers.Connection{URL: "https://x"}}, program, ""},
		"a transport that the old connection fits": {servers.Change{Transport: new(servers.HTTP)}, distant, ""},
		"a transport without its connection":       {servers.Change{Transport: new(servers.HTTP)}, program, "/connection_config"},
		"an unknown transport":                     {servers.Change{Transport: new(servers.Transport("x")), Connection: &servers.Connection{}}, program, "/transport_type"},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.at, pointers(tt.change.Validate(tt.current))); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestProblemsAreALineEach(t *testing.T) {
	problems := servers.Problems{{"/a", "is missing"}, {"/b", "is unknown"}}
	if got := problems.Error(); got != "/a: is missing\n/b: is unknown" {
		t.Errorf("got %q", got)
	}
}
