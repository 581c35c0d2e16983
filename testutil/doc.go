// Package testutil helps tests: fake children in memory, a raw MCP client, the
// replacement of any piece of a composed program; and it fails tests that leave
// processes behind (Mark) or have secrets printed (Main).
package testutil
