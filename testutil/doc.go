// Package testutil provides helpers for tests: in-memory children, a raw MCP client and
// replacements for parts of an Fx application. It fails tests that leave processes
// running (Mark) or print secrets (Main).
package testutil
