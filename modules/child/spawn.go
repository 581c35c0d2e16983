package child

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"mcp-aggregator/config"
)

// Spawner starts the process of one server. Tests replace it with fakes.
type Spawner interface {
	// Spawn starts the server and returns at once. The error says in words
	// why the process could not be started.
	Spawn(server config.ServerConfig) (*Process, error)
}

// OSSpawner starts real processes, each in a process group of its own.
type OSSpawner struct {
	environment *Environment
}

// NewOSSpawner returns a Spawner of real processes with the environment that
// env builds.
func NewOSSpawner(env *Environment) *OSSpawner { return &OSSpawner{environment: env} }

// Spawn implements Spawner.
func (s *OSSpawner) Spawn(server config.ServerConfig) (*Process, error) {
	env := s.environment.For(server)
	if err := checkDir(server.Dir); err != nil {
		return nil, err
	}
	path, err := lookPath(server.Command, env, server.Dir)
	if err != nil {
		return nil, err
	}
	// The context is never cancelled: its Server ends the child.
	cmd := exec.CommandContext(context.Background(), path, server.Args...)
	cmd.Args[0] = server.Command
	cmd.Env = env
	cmd.Dir = server.Dir
	return start(cmd)
}

func checkDir(dir string) error {
	if dir == "" {
		return nil
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("cwd %q does not exist", dir)
	case err != nil:
		return fmt.Errorf("cwd %q: %w", dir, errors.Unwrap(err))
	case !info.IsDir():
		return fmt.Errorf("cwd %q is not a folder", dir)
	}
	return nil
}

// start starts cmd with pipes. One process is started at a time, so that no
// descriptors are held for those that are still to start.
func start(cmd *exec.Cmd) (p *Process, err error) {
	err = launch(func() error {
		p, err = connect(cmd)
		return err
	})
	return p, err
}

// connect connects the pipes and starts cmd. The pipes are passed as files, so that
// os/exec copies nothing and waits for nothing but the process.
func connect(cmd *exec.Cmd) (*Process, error) {
	var pipes pipes
	defer pipes.closeTheirs()
	p := &Process{}
	theirs, stdin, err := pipes.toChild()
	if err != nil {
		return nil, pipes.undo(explain(cmd, err))
	}
	cmd.Stdin, p.Stdin = theirs, newStdin(stdin)
	if p.Stdout, cmd.Stdout, err = pipes.fromChild(); err != nil {
		return nil, pipes.undo(explain(cmd, err))
	}
	if p.Stderr, cmd.Stderr, err = pipes.fromChild(); err != nil {
		return nil, pipes.undo(explain(cmd, err))
	}
	if p.Control, err = startGroup(cmd); err != nil {
		return nil, pipes.undo(explain(cmd, err))
	}
	return p, nil
}

// pipes holds both ends of the pipes of a process that is being started.
type pipes struct{ ours, theirs []*os.File }

func (p *pipes) toChild() (theirs, ours *os.File, err error) {
	theirs, ours, err = os.Pipe()
	return theirs, ours, p.keep(ours, theirs, err)
}

func (p *pipes) fromChild() (ours, theirs *os.File, err error) {
	ours, theirs, err = os.Pipe()
	return ours, theirs, p.keep(ours, theirs, err)
}

func (p *pipes) keep(ours, theirs *os.File, err error) error {
	if err != nil {
		return err
	}
	p.ours, p.theirs = append(p.ours, ours), append(p.theirs, theirs)
	return nil
}

func (p *pipes) closeTheirs() { closeAll(p.theirs) }

func (p *pipes) undo(err error) error {
	closeAll(p.ours)
	return err
}

func closeAll(files []*os.File) {
	for _, f := range files {
		_ = f.Close() // nothing was written to lose
	}
}

// explain returns the error of starting cmd in words for users.
func explain(cmd *exec.Cmd, err error) error {
	command := cmd.Args[0]
	switch {
	case errors.Is(err, syscall.ENOEXEC):
		return fmt.Errorf("command %q is not a program for this machine (wrong architecture, or a script without #! line)", command)
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("command %q cannot be started: the interpreter that it names does not exist", command)
	case errors.Is(err, syscall.E2BIG):
		return fmt.Errorf("command %q cannot be started: arguments and environment are too long", command)
	case errors.Is(err, syscall.EAGAIN):
		return fmt.Errorf("command %q cannot be started: too many processes", command)
	case errors.Is(err, syscall.ENOMEM):
		return fmt.Errorf("command %q cannot be started: not enough memory", command)
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE),
		errors.Is(err, syscall.EBADF): // what dup(2) calls a number over the limit
		return fmt.Errorf("command %q cannot be started: too many open files", command)
	}
	if e, ok := errors.AsType[*os.PathError](err); ok {
		err = e.Err // without the path, which may hold an expanded value
	}
	return fmt.Errorf("command %q cannot be started: %w", command, err)
}

// lookPath finds command the way the child itself would: on the PATH of env,
// not on ours. A command with a path separator is relative to dir.
func lookPath(command string, env []string, dir string) (string, error) {
	if strings.ContainsAny(command, separators()) {
		return lookFile(command, dir)
	}
	var denied error
	for _, folder := range filepath.SplitList(variable(env, "PATH")) {
		if !filepath.IsAbs(folder) { // commands are not looked up in the current folder
			continue
		}
		found, err := exec.LookPath(filepath.Join(folder, command))
		if err == nil {
			return found, nil
		}
		if errors.Is(err, fs.ErrPermission) && exists(filepath.Join(folder, command)) { // not a folder that we may not enter
			denied = fmt.Errorf("command %q is on its PATH, but not executable", command)
		}
	}
	if denied != nil {
		return "", denied
	}
	return "", fmt.Errorf("command %q is not on its PATH: give its absolute path, or set PATH in the server's env", command)
}

func separators() string {
	if runtime.GOOS == "windows" {
		return `/\`
	}
	return "/"
}

func lookFile(command, dir string) (string, error) {
	path := command
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
		if dir == "" {
			path = "." + string(filepath.Separator) + path
		}
	}
	found, err := exec.LookPath(path)
	switch {
	case err == nil:
		return found, nil
	case isFolder(path):
		return "", fmt.Errorf("command %q is a folder", command)
	case errors.Is(err, fs.ErrPermission):
		return "", fmt.Errorf("command %q is not executable", command)
	case strings.HasPrefix(command, "~"):
		return "", fmt.Errorf("command %q does not exist: ~ is not expanded, write ${HOME} instead", command)
	}
	return "", fmt.Errorf("command %q does not exist", command)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// variable returns the last value of name in env.
func variable(env []string, name string) string {
	value := ""
	for _, entry := range env {
		n, v, _ := strings.Cut(entry, "=")
		if n == name || runtime.GOOS == "windows" && strings.EqualFold(n, name) {
			value = v
		}
	}
	return value
}
