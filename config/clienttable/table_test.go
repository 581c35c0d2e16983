package clienttable_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mcp-aggregator/config/clienttable"
	"mcp-aggregator/testutil/clienttest"
)

func TestTheTableAgreesWithItsSecondCopy(t *testing.T) {
	var keys []string
	for _, c := range clienttable.All() {
		keys = append(keys, c.Key)
		if found, ok := clienttable.Find(c.Key); !ok || found.Title != c.Title || c.Title == "" {
			t.Errorf("%s is found as %+v", c.Key, found)
		}
		for _, name := range c.Names {
			if found, ok := clienttable.Named(name); !ok || found.Key != c.Key {
				t.Errorf("%s, which is %s, is found as %s", name, c.Key, found.Key)
			}
		}
		checkRow(t, c, clienttest.Rows()[c.Key])
	}
	if rows := slices.Sorted(maps.Keys(clienttest.Rows())); !slices.Equal(rows, slices.Sorted(slices.Values(keys))) {
		t.Errorf("the table has %q, clienttest %q", keys, rows)
	}
	if _, ok := clienttable.Find(clienttable.CommonFormat); !ok {
		t.Errorf("there is no %s", clienttable.CommonFormat)
	}
}

// checkRow compares what other tests do not: modules/registry tests the names,
// modules/doctor the findings, and config/clients the files.
func checkRow(t *testing.T, c clienttable.Client, row clienttest.Row) {
	t.Helper()
	if n := c.Naming; n != nil && (n.MaxLength <= 0 || len(n.Sources) < 2 || len(c.Names) == 0) {
		t.Errorf("%s: %+v", c.Key, *n)
	}
	if (c.Naming != nil) != (row.Accepts != "") || row.Info != "" && !slices.Contains(c.Names, row.Info) || (row.Info == "") != (c.Names == nil) {
		t.Errorf("%s: names %q, rule %v; clienttest has %q, %q", c.Key, c.Names, c.Naming, row.Info, row.Accepts)
	}
	limits := 0
	for _, limited := range []bool{c.Limits.Tools > 0, c.Limits.Tokens > 0, c.Limits.StartTime > 0} {
		if limited {
			limits++
		}
	}
	if len(c.Limits.Sources) != limits {
		t.Errorf("%s: %d limits, %d sources", c.Key, limits, len(c.Limits.Sources))
	}
	if (c.Limits.Tools > 0) != (row.Tools > 0) || (c.Limits.StartTime > 0) != (row.Start > 0) {
		t.Errorf("%s: %+v; clienttest has %d tools, %v", c.Key, c.Limits, row.Tools, row.Start)
	}
	if (c.Config != nil) != (row.Files != nil) || (c.Config != nil) != (row.Expand != nil) {
		t.Errorf("%s: its files and what it expands are not the same twice", c.Key)
	}
}

// A rule accepts exactly what its client does: the longest name, no longer one, and
// each character.
func TestARuleAcceptsWhatItsClientDoes(t *testing.T) {
	for key, row := range clienttest.Rows() {
		c, _ := clienttable.Find(key)
		if c.Naming == nil {
			continue
		}
		accepts := regexp.MustCompile(row.Accepts)
		names := []string{"", strings.Repeat("x", c.Naming.MaxLength), strings.Repeat("x", c.Naming.MaxLength+1), "é"}
		for char := range rune(128) {
			names = append(names, string(char), "x"+string(char))
		}
		for _, name := range names {
			if problem := c.Naming.Problem(name); accepts.MatchString(name) != (problem == "") {
				t.Errorf("%s, %q: %q", c.Key, name, problem)
			}
		}
	}
}

func TestARuleExplainsRejections(t *testing.T) {
	tests := map[string]struct{ client, name, want string }{
		"taken":               {"cursor", "a__b", ""},
		"a colon":             {"claude-desktop", "a:b", `it has ':'`},
		"a dash":              {"cursor", "a-b", `it has '-'`},
		"too long":            {"claude-desktop", strings.Repeat("x", 65), "it has 65 characters, more than 64"},
		"a digit first":       {"gemini", "1a", `it does not begin with a letter or "_"`},
		"nothing":             {"codex", "", "it is empty"},
		"an odd character":    {"codex", "é", `it has 'é'`},
		"an invalid sequence": {"codex", "\xff", `it has '�'`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			c, _ := clienttable.Find(test.client)
			if got := c.Naming.Problem(test.name); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}
