package clients_test

import (
	"testing"

	"go.uber.org/goleak"

	"mcp-aggregator/config/clients"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// client returns the client with that key.
func client(t interface{ Fatalf(string, ...any) }, key string) clients.Client {
	c, ok := clients.Find(key)
	if !ok {
		t.Fatalf("no client %q", key)
	}
	return c
}
