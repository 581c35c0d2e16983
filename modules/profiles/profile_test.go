package profiles_test

import (
	"slices"
	"strings"
	"testing"

	"mcp-aggregator/modules/profiles"
)

func TestWhatAProfileShows(t *testing.T) {
	const all = "a.x a.delete_x b.x"
	for name, test := range map[string]struct {
		profile profiles.Profile
		want    string
	}{
		"no restriction":                    {profiles.Profile{}, all},
		"servers":                           {profiles.Profile{Servers: []string{"b", "c"}}, "b.x"},
		"allowed and denied":                {profiles.Profile{Allow: []string{"a.*"}, Deny: []string{"*.delete_*"}}, "a.x"},
		"pinned ones":                       {profiles.Profile{Mode: profiles.Lean, Pin: []string{"*.x", "nothing"}}, all},
		"servers are not patterns":          {profiles.Profile{Servers: []string{"*"}}, ""},
		"all restrictions restrict further": {profiles.Profile{Servers: []string{"a"}, Allow: []string{"*.x", "b.*"}}, "a.x"},
	} {
		t.Run(name, func(t *testing.T) {
			var shown []string
			for tool := range strings.FieldsSeq(all) {
				server, _, _ := strings.Cut(tool, ".")
				if test.profile.Filter().Selects(server, tool) {
					shown = append(shown, tool)
				}
			}
			if got := strings.Join(shown, " "); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestEqualProfiles(t *testing.T) {
	base := profiles.Profile{Name: "a", Mode: profiles.Lean, Servers: []string{"s"}, Allow: []string{"x"}}
	for name, test := range map[string]struct {
		edit func(*profiles.Profile)
		want bool
	}{
		"the same":            {func(*profiles.Profile) {}, true},
		"an empty list":       {func(p *profiles.Profile) { p.Deny = []string{} }, true},
		"another time":        {func(p *profiles.Profile) { p.UpdatedAt = p.UpdatedAt.Add(1) }, true},
		"another name":        {func(p *profiles.Profile) { p.Name = "b" }, false},
		"another description": {func(p *profiles.Profile) { p.Description = "b" }, false},
		"another mode":        {func(p *profiles.Profile) { p.Mode = profiles.Full }, false},
		"other servers":       {func(p *profiles.Profile) { p.Servers = nil }, false},
		"other allowed tools": {func(p *profiles.Profile) { p.Allow = []string{"y"} }, false},
		"other denied tools":  {func(p *profiles.Profile) { p.Deny = []string{"y"} }, false},
		"other pinned tools":  {func(p *profiles.Profile) { p.Pin = []string{"y"} }, false},
	} {
		other := base
		test.edit(&other)
		if got := base.Equal(other); got != test.want {
			t.Errorf("%s: equal %t", name, got)
		}
	}
}

func TestServersThatAreNotRegistered(t *testing.T) {
	p := profiles.Profile{Servers: []string{"a", "b", "c"}}
	if got := strings.Join(p.UnknownServers(func(name string) bool { return name == "b" }), " "); got != "a c" {
		t.Error(got)
	}
}

func TestValidProfiles(t *testing.T) {
	for name, p := range map[string]profiles.Profile{
		"as little as there may be": {Name: "a", Mode: profiles.Full},
		"everything": {
			Name: strings.Repeat("a", 64), Mode: profiles.Lean, Description: strings.Repeat("é", 4096),
			Servers: []string{"A-b_9", "A-b_9"}, Allow: []string{"*", "[a-z]?"}, Deny: []string{`\*`}, Pin: []string{strings.Repeat("x", 256)},
		},
		"as much as there may be": {
			Name: "a", Mode: profiles.Full, Servers: slices.Repeat([]string{"a"}, 1000),
			Allow: slices.Repeat([]string{"a"}, 500), Pin: slices.Repeat([]string{"a"}, 500),
		},
	} {
		if problems := p.Validate(); problems != nil {
			t.Errorf("%s: %v", name, problems)
		}
	}
}

func TestEveryProblemOfAProfileIsReported(t *testing.T) {
	many := slices.Repeat([]string{"a"}, 600)
	for name, test := range map[string]struct {
		profile profiles.Profile
		want    []string
	}{
		"nothing": {profiles.Profile{}, []string{"/name: is missing: give the profile a name", "/mode: is missing: use full or lean"}},
		"all that can be wrong": {
			profiles.Profile{
				Name: "a/b", Description: "\x00", Servers: []string{"ok", "no.dot", ""},
				Allow: []string{"", "[a", "ok"}, Deny: []string{strings.Repeat("x", 257)}, Pin: []string{"a\x00"}, Mode: "FULL",
			},
			[]string{
				"/name: may have letters, digits, _ and - only, since it is part of an address",
				"/description: holds a NUL character: leave it out",
				"/servers/1: is not the name of a server: those have letters, digits, _ and - only, at most 64; patterns belong in allow",
				"/servers/2: is not the name of a server: those have letters, digits, _ and - only, at most 64; patterns belong in allow",
				"/allow/0: is empty; * matches every tool",
				`/allow/1: is malformed; close each [ with a ], and write a \ twice`,
				"/deny/0: is longer than 256 bytes",
				"/pin/0: holds a NUL character; leave it out",
				"/mode: is unknown: use full or lean",
			},
		},
		"too long a name":        {profiles.Profile{Name: strings.Repeat("a", 65), Mode: profiles.Full}, []string{"/name: is too long: use at most 64 characters"}},
		"too long a description": {profiles.Profile{Name: "a", Description: strings.Repeat("é", 4097), Mode: profiles.Full}, []string{"/description: is too long: use at most 4096 characters"}},
		"too many servers":       {profiles.Profile{Name: "a", Servers: slices.Repeat([]string{""}, 1001), Mode: profiles.Full}, []string{"/servers: has 1001 names: use at most 1000"}},
		"too many patterns": {
			profiles.Profile{Name: "a", Allow: many, Deny: append([]string{""}, many...), Pin: []string{""}, Mode: profiles.Full},
			[]string{"/deny: brings the patterns to 1201: use at most 1000 in allow, deny and pin together"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got, want := test.profile.Validate().Error(), strings.Join(test.want, "\n"); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}
