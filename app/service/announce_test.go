package service_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcp-aggregator/app/cli"
	"mcp-aggregator/app/service"
	"mcp-aggregator/testutil"
)

func TestTheStartSaysWhereAndWithWhat(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ listen, at, database, want string }{
		"an address as it was given": {"0.0.0.0:8080", "[::]:8080", "/srv/a.db", "listening at http://0.0.0.0:8080: REST under /api/v1 (page: /api/v1/docs), MCP at /mcp; database: /srv/a.db\n"},
		"the port that was free":     {"localhost:0", "127.0.0.1:4711", "a.db", "listening at http://localhost:4711: "},
		"any address":                {":8080", "[::]:8080", "a.db", "listening at http://[::]:8080: "},
		"an address of IPv6":         {"[::1]:8080", "[::1]:8080", "a.db", "listening at http://[::1]:8080: "},
		"a password":                 {"127.0.0.1:1", "127.0.0.1:1", "postgres://me:" + testutil.Canary + "@db:5432/all", "; database: postgres://me@db:5432/all\n"},
		"a password in a parameter":  {"127.0.0.1:1", "127.0.0.1:1", "postgresql://db/all?user=me&password=" + testutil.Canary, "; database: postgresql://db/all\n"},
		"a URL that is none":         {"127.0.0.1:1", "127.0.0.1:1", "postgres://me:" + testutil.Canary + "%@db/all", "; database: PostgreSQL\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at, err := net.ResolveTCPAddr("tcp", tt.at)
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			service.Announce(service.Options{Listen: tt.listen, Database: tt.database, Stderr: testutil.Printed(&out)}, at)
			if !strings.Contains(out.String(), tt.want) {
				t.Errorf("it says %q", out.String())
			}
		})
	}
}

// records parses lines of JSON.
func records(t *testing.T, text string) (all []map[string]any) {
	t.Helper()
	for line := range strings.Lines(text) {
		var record map[string]any
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			t.Errorf("%v: %q", err, line)
		}
		all = append(all, record)
	}
	return all
}

func TestALogOfJSONHasNothingElse(t *testing.T) {
	t.Parallel()
	var out testutil.Buffer
	database := filepath.Join(t.TempDir(), "a.db")
	cmd := exec.CommandContext(t.Context(), buildProgram(t), "serve", "--log-format", "json", "--debug", "--listen", "0.0.0.0:0", "--token", "t0k3n", "--database", database)
	cmd.Stderr = &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for !strings.Contains(out.String(), "listening") {
		time.Sleep(5 * time.Millisecond)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
	told := false
	for _, record := range records(t, out.String()) {
		if address, _ := record["address"].(string); record["msg"] == "listening" && record["level"] == "INFO" {
			told = strings.HasPrefix(address, "http://0.0.0.0:") && record["database"] == database
		}
	}
	if !told {
		t.Errorf("it says:\n%s", out.String())
	}
}

func TestErrorsAreLoggedAsJSON(t *testing.T) {
	t.Parallel()
	missing := filepath.Join(t.TempDir(), "none.json")
	for name, o := range map[string]service.Options{
		"an address": {Listen: "nowhere"},
		"a file":     {Listen: "127.0.0.1:0", Configs: []string{missing}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			o.LogFormat, o.Stderr, o.Database = "json", &out, filepath.Join(t.TempDir(), "a.db")
			if err := service.Serve(o); !errors.Is(err, cli.ExitError(cli.ExitConfig)) {
				t.Errorf("it ends with %v", err)
			}
			for _, record := range records(t, out.String()) {
				if text, _ := record["msg"].(string); record["level"] != "ERROR" || text == "" || strings.Contains(text, "mcp-aggregator: ") {
					t.Errorf("it says %v", record)
				}
			}
			if out.Len() == 0 {
				t.Error("it says nothing")
			}
		})
	}
}
