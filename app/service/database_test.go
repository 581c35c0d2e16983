package service_test

import (
	"runtime"
	"testing"

	"mcp-aggregator/app/service"
)

func TestTheDatabaseIsInTheUsersDataDirectory(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("paths are written otherwise")
	}
	for name, test := range map[string]struct {
		system  string
		environ []string
		want    string // empty: an error
	}{
		"of the XDG specification":          {"linux", []string{"XDG_DATA_HOME=/data", "HOME=/home/me"}, "/data/mcp-aggregator/aggregator.db"},
		"its default":                       {"linux", []string{"HOME=/home/me"}, "/home/me/.local/share/mcp-aggregator/aggregator.db"},
		"a relative one is none":            {"linux", []string{"XDG_DATA_HOME=data", "HOME=/home/me"}, "/home/me/.local/share/mcp-aggregator/aggregator.db"},
		"a Mac's own":                       {"darwin", []string{"HOME=/Users/me"}, "/Users/me/Library/Application Support/mcp-aggregator/aggregator.db"},
		"of Windows, which does not roam":   {"windows", []string{"APPDATA=/roaming", "LOCALAPPDATA=/local"}, "/local/mcp-aggregator/aggregator.db"},
		"there is no home directory at all": {"linux", []string{"PATH=/bin"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := service.DatabaseOf(test.system, test.environ)
			if got != test.want || (err == nil) != (test.want != "") {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}
