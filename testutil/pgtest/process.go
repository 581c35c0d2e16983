package pgtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

// process is a running server.
type process struct {
	folder   string // of the data, the log and the socket
	lifeline io.Closer
	cmd      *exec.Cmd
}

// start creates a cluster and starts a server for it.
func start() (*process, error) {
	programs, err := findPrograms()
	if err != nil {
		return nil, err
	}
	// The path must be short, because the length of a socket's path is limited.
	folder, err := os.MkdirTemp("", "pg")
	if err != nil {
		return nil, err
	}
	p := &process{folder: folder}
	if err := p.initialize(programs); err != nil {
		log, _ := os.ReadFile(p.log())
		p.stop()
		return nil, fmt.Errorf("%w\n%s", err, log)
	}
	return p, nil
}

func (p *process) initialize(programs string) error {
	init, err := p.command(filepath.Join(programs, "initdb"), "-D", p.data(), "-A", "trust", "-U", "postgres", "-N", "-E", "UTF8", "--locale=C")
	if err != nil {
		return err
	}
	if out, err := init.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, out)
	}
	if err := p.serve(filepath.Join(programs, "postgres")); err != nil {
		return err
	}
	return p.awaitReady()
}

// serve starts the server under a shell that stops it when the pipe to the shell is
// closed, which also happens when this program is killed.
func (p *process) serve(postgres string) error {
	const script = `exec 3<&0; "$@" </dev/null & read -r _ <&3; kill -QUIT $!; wait $!`
	cmd, err := p.command("/bin/sh", "-c", script, "sh", postgres, "-D", p.data(), "-k", p.folder,
		"-c", "listen_addresses=", "-c", "fsync=off", "-c", "max_connections=200")
	if err != nil {
		return err
	}
	log, err := os.Create(p.log())
	if err != nil {
		return err
	}
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	if p.lifeline, err = cmd.StdinPipe(); err != nil {
		return err
	}
	p.cmd = cmd
	return cmd.Start()
}

// awaitReady waits until the server responds.
func (p *process) awaitReady() error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	for {
		err := execute(ctx, p.url("postgres"), "SELECT 1")
		if err == nil || ctx.Err() != nil {
			return err
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// stop stops the server at once and removes its folder.
func (p *process) stop() {
	if p.lifeline != nil {
		p.lifeline.Close()
		p.cmd.Wait() //nolint:errcheck // it was told to quit
	}
	os.RemoveAll(p.folder) //nolint:errcheck // at worst a temporary folder remains
}

// command returns a command that runs in the folder, as the user that the server runs as.
func (p *process) command(name string, args ...string) (*exec.Cmd, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = p.folder
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C"}
	return cmd, runAsUser(cmd, p.folder)
}

func (p *process) data() string { return filepath.Join(p.folder, "data") }

func (p *process) log() string { return filepath.Join(p.folder, "log") }

// findPrograms returns the folder of PostgreSQL's programs: the one on PATH, or that of
// the newest version in Debian's place.
func findPrograms() (string, error) {
	if path, err := exec.LookPath("initdb"); err == nil {
		if path, err = filepath.EvalSymlinks(path); err == nil {
			return filepath.Dir(path), nil
		}
	}
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil || len(found) == 0 {
		return "", errors.New("initdb is neither on PATH nor in /usr/lib/postgresql: apt-get install postgresql")
	}
	slices.Sort(found)
	return filepath.Dir(found[len(found)-1]), nil
}
