// Package e2e tests the stdio program with real processes: servers and clients from npm,
// the conformance suite of MCP, a million calls, and children that misbehave at random.
package e2e
