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
	folder string // for the data, the log and the socket
	stdin  io.Closer
	cmd    *exec.Cmd
}

// startProcess creates a cluster and starts its server.
func startProcess() (*process, error) {
	programs, err := findPrograms()
	if err != nil {
		return nil, err
	}
	// The name is short, because paths of sockets are limited.
	folder, err := os.MkdirTemp("", "pg")
	if err != nil {
		return nil, err
	}
	p := &process{folder: folder}
	if err := p.initAndServe(programs); err != nil {
		log, _ := os.ReadFile(p.log())
		p.shutDown()
		return nil, fmt.Errorf("%w\n%s", err, log)
	}
	return p, nil
}

func (p *process) initAndServe(programs string) error {
	init, err := p.command(filepath.Join(programs, "initdb"), "-D", p.data(), "-A", "trust", "-U", "postgres", "-N", "-E", "UTF8", "--locale=C")
	if err != nil {
		return err
	}
	if out, err := init.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, out)
	}
	if err := p.startServer(filepath.Join(programs, "postgres")); err != nil {
		return err
	}
	return p.awaitReady()
}

// startServer starts the server under a shell that stops it when its standard input is
// closed, which the end of this program does, however it ends.
func (p *process) startServer(postgres string) error {
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
	if p.stdin, err = cmd.StdinPipe(); err != nil {
		return err
	}
	p.cmd = cmd
	return cmd.Start()
}

// awaitReady waits until the server answers.
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

// shutDown stops the server and removes its files.
func (p *process) shutDown() {
	if p.stdin != nil {
		p.stdin.Close()
		p.cmd.Wait() //nolint:errcheck // it was told to quit
	}
	os.RemoveAll(p.folder) //nolint:errcheck // it is among the temporary files
}

// command returns a command that runs in the folder, as the user of the server.
func (p *process) command(name string, args ...string) (*exec.Cmd, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = p.folder
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C"}
	return cmd, runAs(cmd, p.folder)
}

func (p *process) data() string { return filepath.Join(p.folder, "data") }

func (p *process) log() string { return filepath.Join(p.folder, "log") }

// findPrograms returns the folder of PostgreSQL's programs: on PATH, or the newest version
// where Debian installs it.
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
