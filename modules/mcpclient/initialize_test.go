package mcpclient_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-aggregator/modules/mcpclient"
	"mcp-aggregator/modules/wire"
)

// Servers are told the same, whether the SDK writes the params or they are spliced into
// the message.
func TestServersAreToldTheSameHoweverInitializeIsWritten(t *testing.T) {
	for name, test := range map[string]struct {
		identity mcpclient.Identity
		want     string
	}{
		"the service": {
			mcpclient.Service("1.2.3"),
			`{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{"form":{},"url":{}},"sampling":{}},"clientInfo":{"name":"mcp-aggregator","version":"1.2.3"}}`,
		},
		"no capabilities": {
			mcpclient.Identity{Name: `"x"`, Capabilities: "{}"},
			`{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"\"x\"","version":""}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			var written bytes.Buffer
			ctx, cancel := context.WithCancel(t.Context())
			session := wire.NewSession(func(m *wire.Message) error {
				if m.MethodIs("initialize") {
					written.Write(m.Params.Of(m.Line))
					cancel() // there is no server
				}
				return nil
			})
			if _, err := test.identity.Connect(ctx, session, mcpclient.ProtocolVersion); !errors.Is(err, context.Canceled) {
				t.Errorf("Connect: %v", err)
			}
			_ = session.Close()
			wantJSON(t, "the SDK wrote", written.Bytes(), test.want)
			wantJSON(t, "Params", test.identity.Params(mcpclient.ProtocolVersion), test.want)
		})
	}
}

func wantJSON(t *testing.T, what string, got []byte, want string) {
	t.Helper()
	var x, y any
	if err := errors.Join(json.Unmarshal(got, &x), json.Unmarshal([]byte(want), &y)); err != nil || !reflect.DeepEqual(x, y) {
		t.Errorf("%s: %s (%v), want %s", what, got, err, want)
	}
}

func TestCapabilitiesThatAreNoJSONAreAnError(t *testing.T) {
	_, err := mcpclient.Identity{Capabilities: "{"}.Connect(t.Context(), nil, mcpclient.ProtocolVersion)
	if err == nil || !strings.HasPrefix(err.Error(), "capabilities of the client: ") {
		t.Errorf("error %v", err)
	}
}

func TestHasTools(t *testing.T) {
	tools := &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}}
	for name, test := range map[string]struct {
		version      string
		capabilities *mcp.ServerCapabilities
		want         bool
		problem      string
	}{
		"tools":                {"2025-11-25", tools, true, ""},
		"tools, first version": {"2024-11-05", tools, true, ""},
		"no tools":             {"2025-11-25", &mcp.ServerCapabilities{}, false, ""},
		"no capabilities":      {"2025-11-25", nil, false, ""},
		"a stateless version":  {"2026-07-28", tools, false, `protocol version "2026-07-28", which was not offered`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := mcpclient.HasTools(&mcp.InitializeResult{ProtocolVersion: test.version, Capabilities: test.capabilities})
			problem := ""
			if err != nil {
				problem = err.Error()
			}
			if got != test.want || problem != test.problem {
				t.Errorf("got %t, problem %q; want %t, problem %q", got, problem, test.want, test.problem)
			}
		})
	}
}
