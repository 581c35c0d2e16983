//go:build !unix

package pgtest

import "os/exec"

// runAsUser leaves cmd as it is: only Unix has a root whom PostgreSQL refuses.
func runAsUser(*exec.Cmd, string) error { return nil }
