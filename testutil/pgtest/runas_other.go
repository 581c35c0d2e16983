//go:build !unix

package pgtest

import "os/exec"

// runAs does nothing: PostgreSQL refuses to run as root only on Unix.
func runAs(*exec.Cmd, string) error { return nil }
