package service_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcp-aggregator/testutil"
)

func TestAServiceWhoseFileIsGoneIsNotReady(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	s := start(t, testutil.Spawner{}, at(path))
	if err := os.Remove(path); err != nil {
		t.Skip(err) // Windows lets nobody
	}
	status, text := s.rest(http.MethodPost, "/aggregator/servers", `{"name":"a","transport_type":"STDIO","connection_config":{"command":"x"}}`)
	if status != http.StatusServiceUnavailable || !strings.Contains(text, "see the log") {
		t.Errorf("it registers: %d %s", status, text)
	}
	response, err := http.Get(s.url + "/readyz")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("it is ready: %d", response.StatusCode)
	}
	if n := strings.Count(s.log.String(), "the file was removed: restart the service"); n != 2 {
		t.Errorf("it was said %d times: %s", n, s.log.String())
	}
}
