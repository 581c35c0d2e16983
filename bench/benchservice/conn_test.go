package main_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	bench "mcp-aggregator/bench/benchservice"
)

// echo responds with the request's body or, at /api, with an error.
func echo(t *testing.T) (address string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/api") {
			http.Error(w, "no such tool", http.StatusNotFound)
			return
		}
		body, err := io.ReadAll(r.Body)
		fmt.Fprintln(w, r.Method, r.Header.Get("Mcp-Session-Id"), r.Header.Get("Content-Type"), err)
		_, _ = w.Write(body)
	}))
	t.Cleanup(server.Close)
	return server.Listener.Addr().String()
}

func TestARequestArrivesAsItWasMeant(t *testing.T) {
	address := echo(t)
	for _, n := range []int{0, 7, 64 * 10_000_000} {
		text, err := bench.Get(address, bench.OverMCP(address, "a session", "s.x100", n))
		if err != nil {
			t.Fatal(err)
		}
		head, body, _ := strings.Cut(string(text), "\n")
		if head != "POST a session application/json <nil>" {
			t.Error(head)
		}
		var call struct {
			ID     int
			Params struct {
				Name      string
				Arguments struct{ P string }
			}
		}
		if err := json.Unmarshal([]byte(body), &call); err != nil {
			t.Fatal(err, body)
		}
		if call.ID != 1_000_000_000+n || call.Params.Name != "s.x100" || len(call.Params.Arguments.P) != 100 {
			t.Error(body)
		}
	}
}

func TestAnErrorIsNotTakenForAResult(t *testing.T) {
	address := echo(t)
	body, err := bench.Get(address, bench.OverREST(address, "s.none"))
	if err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("%v, %s", err, body)
	}
}
