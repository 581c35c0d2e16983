//go:build unix

package child

import (
	"os"
	"os/exec"
	"sync"
	"syscall"
)

// group is a child process that leads its own process group.
type group struct {
	cmd *exec.Cmd

	mu    sync.Mutex
	ended bool // reaped: its id may be reused
}

func startGroup(cmd *exec.Cmd) (Control, error) {
	cmd.SysProcAttr = attributes()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &group{cmd: cmd}, nil
}

// Wait implements Control. Where the system allows it, the group is killed
// before the process is reaped, because from then on its id may be reused.
func (g *group) Wait() Exit {
	awaitExit(g.cmd)
	g.mu.Lock()
	defer g.mu.Unlock()
	_ = syscall.Kill(-g.cmd.Process.Pid, syscall.SIGKILL) // the group may be empty
	_ = g.cmd.Wait()                                      // its error repeats the state
	g.ended = true
	return Exit(g.cmd.ProcessState.String())
}

// Terminate implements Control.
func (g *group) Terminate() { g.signal(syscall.SIGTERM) }

// Kill implements Control.
func (g *group) Kill() { g.signal(syscall.SIGKILL) }

func (g *group) signal(sig syscall.Signal) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.ended {
		_ = syscall.Kill(-g.cmd.Process.Pid, sig) // it may have ended on its own
	}
}

// stdin is the pipe to a child's standard input. It implements TryWriter.
type stdin struct {
	*os.File
	raw syscall.RawConn
}

func newStdin(f *os.File) stdin {
	raw, _ := f.SyscallConn() // an open file has one
	return stdin{f, raw}
}

// TryWrite implements TryWriter: Go's files are not blocking.
func (s stdin) TryWrite(p []byte) (n int, err error) {
	if e := s.raw.Write(func(fd uintptr) bool {
		n, err = syscall.Write(int(fd), p)
		return true
	}); e != nil {
		return 0, e
	}
	return max(n, 0), err
}
