//go:build unix

package child_test

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"
)

func ignoreTermination() { signal.Ignore(syscall.SIGTERM) }

func awaitTermination() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGTERM)
	fmt.Fprintln(os.Stderr, "waiting")
	<-c
}

func processGroup() int { return syscall.Getpgrp() }

// runUnixVerb does what only Unix can: send itself a signal, or start a grandchild
// that sleeps and holds stdout and stderr open. It returns the grandchild's id.
func runUnixVerb(verb, object string) any {
	switch verb {
	case "signal":
		_ = syscall.Kill(os.Getpid(), map[string]syscall.Signal{"KILL": syscall.SIGKILL, "STOP": syscall.SIGSTOP}[object])
		time.Sleep(time.Hour) // the signal may take effect later
		return true
	case "fork":
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), helperVariable+"="+object)
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		return started(cmd)
	case "escape": // from the process group
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), helperVariable+"="+object)
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		return started(cmd)
	}
	return "no such verb: " + verb
}

func started(cmd *exec.Cmd) any {
	if err := cmd.Start(); err != nil {
		return err.Error()
	}
	return cmd.Process.Pid
}
