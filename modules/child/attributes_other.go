//go:build unix && !linux

package child

import "syscall"

// attributes make a process lead a group of its own. When we are killed it
// hears of it by the end of its standard input only.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
