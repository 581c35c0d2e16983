//go:build !unix

package pgtest

import "os/exec"

// become leaves cmd as it is: only Unix has a root whom PostgreSQL refuses.
func become(*exec.Cmd, string) error { return nil }
