package child

import (
	"os"
	"os/exec"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// group is a child process in a Job Object of its own, which ends every
// process in it when its last handle is closed, and so also when the aggregator dies.
type group struct {
	cmd *exec.Cmd

	mu  sync.Mutex
	job windows.Handle // 0 once the job has ended
}

// startGroup starts cmd and assigns it to a job. Processes that it starts before that
// are not in the job: os/exec cannot resume a process that starts suspended.
func startGroup(cmd *exec.Cmd) (Control, error) {
	job, err := newJob()
	if err != nil {
		return nil, err
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{HideWindow: true, CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
	if err := cmd.Start(); err != nil {
		_ = windows.CloseHandle(job) // the first error tells more
		return nil, err
	}
	g := &group{cmd: cmd, job: job}
	if err := assign(job, cmd.Process.Pid); err != nil {
		_ = cmd.Process.Kill() // it may have ended on its own
		_ = cmd.Wait()         // its error repeats the state
		g.Kill()
		return nil, err
	}
	return g, nil
}

func newJob() (windows.Handle, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, err
	}
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info))) //nolint:gosec // the Win32 call takes a structure
	if err != nil {
		_ = windows.CloseHandle(job) // the first error tells more
		return 0, err
	}
	return job, nil
}

func assign(job windows.Handle, pid int) error {
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(pid)) //nolint:gosec // a process id fits
	if err != nil {
		return err
	}
	defer windows.CloseHandle(process) //nolint:errcheck // nothing depends on it
	return windows.AssignProcessToJobObject(job, process)
}

// Wait implements Control.
func (g *group) Wait() Exit {
	_ = g.cmd.Wait() // its error repeats the state
	g.Kill()
	return Exit(g.cmd.ProcessState.String())
}

// Terminate implements Control. It does nothing: Windows has no signal for a process
// without a console, and closing its standard input was the request.
func (*group) Terminate() {}

// Kill implements Control.
func (g *group) Kill() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.job != 0 {
		_ = windows.TerminateJobObject(g.job, 1) // the job may be empty
		_ = windows.CloseHandle(g.job)           // nothing depends on it
		g.job = 0
	}
}

// launch calls start.
func launch(start func() error) error { return start() }

// newStdin returns the pipe to a child's standard input, which is no TryWriter: the
// outbox's goroutine writes everything.
func newStdin(f *os.File) *os.File { return f }
