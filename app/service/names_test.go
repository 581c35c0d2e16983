package service_test

import (
	"slices"
	"strings"
	"testing"

	"mcp-aggregator/app/service"
	"mcp-aggregator/modules/servers"
)

func TestKeysGetTheNearestLegalName(t *testing.T) {
	long := strings.Repeat("x", 100)
	for name, test := range map[string]struct{ keys, want []string }{
		"legal ones keep theirs":                    {[]string{"my_server", "B-2"}, []string{"my_server", "B-2"}},
		"whatever is not legal becomes _":           {[]string{"my server", "a.b", "h\u00e9\u00e9\u2603"}, []string{"my_server", "a_b", "h_"}},
		"a legal one keeps its name from others":    {[]string{"my.server", "my_server"}, []string{"my_server-caf1ed", "my_server"}},
		"their order does not matter":               {[]string{"my_server", "my.server"}, []string{"my_server", "my_server-caf1ed"}},
		"those that would meet are told apart":      {[]string{"a.b", "a b"}, []string{"a_b-", "a_b-"}},
		"one that is too long is cut":               {[]string{long}, []string{long[:servers.MaxName]}},
		"the same key in two files has two names":   {[]string{"a", "a"}, []string{"a", "a-"}},
		"a key of nothing that is legal has a name": {[]string{"\u00e9"}, []string{"_"}},
		"three that would meet, and one that is so": {[]string{"a b", "a.b", "a/b", "a_b"}, []string{"a_b-", "a_b-", "a_b-", "a_b"}},
		"two that are too long are cut, and differ": {[]string{long + "1", long + "2"}, []string{long[:servers.MaxName-7] + "-", long[:servers.MaxName-7] + "-"}},
	} {
		got := service.LegalNames(test.keys)
		for i := range got {
			if strings.HasSuffix(test.want[i], "-") || strings.Contains(test.want[i], "-caf1ed") {
				test.want[i] = strings.TrimSuffix(test.want[i], "caf1ed") + got[i][strings.LastIndex(got[i], "-")+1:]
			}
		}
		if !slices.Equal(got, test.want) || len(slices.Compact(slices.Sorted(slices.Values(got)))) != len(got) {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
	one, other := service.LegalNames([]string{"a.b", "a_b"}), service.LegalNames([]string{"a_b", "a/b", "a.b"})
	if one[0] != other[2] {
		t.Errorf("%q and %q", one, other)
	}
}
