//go:build !unix

package pgtest

import "os/exec"

// runAsUser does nothing: PostgreSQL refuses to run as root on Unix only.
func runAsUser(*exec.Cmd, string) error { return nil }
