// Package mcpclient holds what a client of MCP servers does whatever carries its messages:
// it initializes the session by way of the SDK, judges the version of the protocol, reads
// the tool list and reads it again when it changes, and keeps the pending requests. How
// a message reaches the server is the caller's business.
package mcpclient

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-aggregator/modules/wire"
)

// ProtocolVersion is the newest revision that servers are offered: later ones have no
// sessions.
const ProtocolVersion = "2025-11-25"

// FirstStateless is the first revision without initialize.
const FirstStateless = "2026-07-28"

// Identity is what servers are told of their client
// (MCP 2025-11-25, basic/lifecycle#initialization).
type Identity struct {
	Name         string
	Version      string
	Capabilities string // a JSON object
}

// Service returns the identity of the service. The service passes the requests of a server
// on to the client whose call is pending; it has no roots. All servers are told the same,
// because all clients share their sessions.
func Service(version string) Identity {
	return Identity{
		Name: "mcp-aggregator", Version: version,
		Capabilities: `{"elicitation":{"form":{},"url":{}},"sampling":{}}`,
	}
}

// Params returns the params of an initialize that offers that version, as JSON.
func (i Identity) Params(version string) []byte {
	params := wire.AppendQuoted([]byte(`{"protocolVersion":`), version)
	params = append(append(params, `,"capabilities":`...), i.Capabilities...)
	params = wire.AppendQuoted(append(params, `,"clientInfo":{"name":`...), i.Name)
	params = wire.AppendQuoted(append(params, `,"version":`...), i.Version)
	return append(params, "}}"...)
}

// Connect initializes a session over the transport by way of the SDK's client, which
// offers that version of the protocol.
func (i Identity) Connect(ctx context.Context, transport mcp.Transport, version string) (*mcp.ClientSession, error) {
	capabilities := new(mcp.ClientCapabilities)
	if err := json.Unmarshal([]byte(i.Capabilities), capabilities); err != nil {
		return nil, fmt.Errorf("capabilities of the client: %w", err)
	}
	client := mcp.NewClient(&mcp.Implementation{Name: i.Name, Version: i.Version}, &mcp.ClientOptions{
		Capabilities:   capabilities,
		Logger:         slog.New(slog.DiscardHandler),
		MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true},
	})
	return client.Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
}

// HasTools reports whether the server that answered initialize has tools. The error names
// a version of the protocol that was not offered.
func HasTools(answer *mcp.InitializeResult) (bool, error) {
	if answer.ProtocolVersion >= FirstStateless {
		return false, fmt.Errorf("protocol version %q, which was not offered", answer.ProtocolVersion)
	}
	return answer.Capabilities != nil && answer.Capabilities.Tools != nil, nil
}

// ServerInfo is what a server says of itself in its answer to initialize, for people and
// models to read. It is hostile text, of 64 KiB at most.
type ServerInfo struct {
	Title        string
	Instructions string
}

// Bounds of a ServerInfo, in bytes; together they are 64 KiB.
const (
	maxTitle        = 1 << 10
	maxInstructions = 63 << 10
)

// InfoOf returns what the server that answered initialize says of itself.
func InfoOf(answer *mcp.InitializeResult) ServerInfo {
	info := ServerInfo{Instructions: truncate(answer.Instructions, maxInstructions)}
	if answer.ServerInfo != nil {
		info.Title = truncate(answer.ServerInfo.Title, maxTitle)
	}
	return info
}

// truncate returns the first bytes of text, at most limit of them, without the rest of
// a character that they end within. What it returns keeps no longer text in memory.
func truncate(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return strings.Clone(text[:limit])
}
