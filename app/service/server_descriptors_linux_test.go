package service_test

import (
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// Clients without the token could use up the descriptors if waiting connections were not
// bounded.
func TestConnectionsThatWaitDoNotKeepTheOwnerOut(t *testing.T) {
	address := freeAddress(t)
	cmd := exec.CommandContext(t.Context(), "sh", "-c", `ulimit -n 64; exec "$0" serve --listen `+address+` --token t0k3n`, buildProgram(t))
	cmd.Env = append(os.Environ(), "XDG_DATA_HOME="+filepath.Join(t.TempDir(), "data"))
	listen(t, cmd)
	defer func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		if err := cmd.Wait(); err != nil {
			t.Errorf("it ended with %v", err)
		}
	}()
	for range 200 {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		_, _ = c.Write([]byte("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")) // it may have ended
	}
	owner := &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{}}
	defer owner.CloseIdleConnections()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+"/api/v1/tools", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer t0k3n")
	for range 10 {
		response, err := owner.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != http.StatusOK {
			t.Errorf("the owner is answered with %d", response.StatusCode)
		}
		owner.CloseIdleConnections()
	}
}
