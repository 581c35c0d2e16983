package main_test

import (
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"mcp-aggregator/testutil"
)

// deadline bounds every wait. It is long, because no test measures time.
const deadline = 60 * time.Second

// exits CODE PROGRAM [ARGUMENT...] runs a program that must end with that exit code.
// What it prints must hold no secret.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	if got, want := run(ts, args[1:]), args[0]; got != want {
		ts.Fatalf("exit code %s, not %s", got, want)
	}
}

// eventually CODE PROGRAM [ARGUMENT...] runs it again until it ends with that code.
func eventually(ts *testscript.TestScript, _ bool, args []string) {
	await(ts, "exit code "+args[0], func() bool { return run(ts, args[1:]) == args[0] })
}

func run(ts *testscript.TestScript, args []string) (code string) {
	err := ts.Exec(args[0], args[1:]...)
	testutil.Record(ts.ReadFile("stdout"))
	testutil.Record(ts.ReadFile("stderr"))
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return strconv.Itoa(exit.ExitCode())
	}
	ts.Check(err)
	return "0"
}

// until FILE [REGEXP] waits for the file, or for a text in it.
func until(ts *testscript.TestScript, _ bool, args []string) {
	text := regexp.MustCompile("")
	if len(args) > 1 {
		text = regexp.MustCompile(args[1])
	}
	await(ts, args[0], func() bool {
		data, err := os.ReadFile(ts.MkAbs(args[0]))
		return err == nil && text.Match(data)
	})
}

func await(ts *testscript.TestScript, what string, done func() bool) {
	for end := time.Now().Add(deadline); !done(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			ts.Fatalf("waited in vain for %s", what)
		}
	}
}

// inherited are the variables of a script's environment that the service gets.
var inherited = []string{
	"PATH", "HOME", "GORACE", "XDG_DATA_HOME", "XDG_TEST_CANARY", testutil.MarkVariable,
	"MCP_AGGREGATOR_TOKEN", "GREETING", "GOCOVERDIR",
}

var listening = regexp.MustCompile(`listening.*(http://[^\s":]+:\d+)`)

// service is a running program, which a script refers to by a name.
type service struct {
	cmd  *exec.Cmd
	done chan struct{}
}

// services are the services of one script.
type services map[string]*service

type servicesKey struct{}

func servicesOf(ts *testscript.TestScript) services { return ts.Value(servicesKey{}).(services) }

// serve NAME [FLAG...] starts the service at a free port, directs the clients to it, and
// collects its standard error in NAME.log.
func serve(ts *testscript.TestScript, _ bool, args []string) {
	log, err := os.Create(ts.MkAbs(args[0] + ".log"))
	ts.Check(err)
	defer log.Close()
	cmd := exec.Command("mcp-aggregator", append([]string{"serve", "--listen", "127.0.0.1:0"}, args[1:]...)...)
	cmd.Stderr, cmd.Dir = log, ts.MkAbs(".")
	for _, name := range inherited {
		if value := ts.Getenv(name); value != "" {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	ts.Check(cmd.Start())
	s := &service{cmd: cmd, done: make(chan struct{})}
	go func() { // ends with the process
		_ = cmd.Wait() // the state tells
		close(s.done)
	}()
	ts.Defer(func() {
		_ = cmd.Process.Kill() // it may have ended
		<-s.done
		testutil.Record(ts.ReadFile(args[0] + ".log"))
	})
	servicesOf(ts)[args[0]] = s
	until(ts, false, []string{args[0] + ".log", listening.String()})
	ts.Setenv("MCP_AGGREGATOR_ADDRESS", listening.FindStringSubmatch(ts.ReadFile(args[0] + ".log"))[1])
}

func named(ts *testscript.TestScript, name string) *service {
	s := servicesOf(ts)[name]
	if s == nil {
		ts.Fatalf("there is no service %s", name)
	}
	return s
}

// signal NAME TERM|INT|KILL sends a signal to a service.
func sendSignal(ts *testscript.TestScript, _ bool, args []string) {
	signals := map[string]syscall.Signal{"TERM": syscall.SIGTERM, "INT": syscall.SIGINT, "KILL": syscall.SIGKILL}
	ts.Check(named(ts, args[0]).cmd.Process.Signal(signals[args[1]]))
}

// ended NAME CODE waits for the end of a service; the code of a killed one is -1.
func ended(ts *testscript.TestScript, _ bool, args []string) {
	s := named(ts, args[0])
	select {
	case <-s.done:
	case <-time.After(deadline):
		ts.Fatalf("the service does not end")
	}
	if code := strconv.Itoa(s.cmd.ProcessState.ExitCode()); code != args[1] {
		ts.Fatalf("exit code %s, not %s:\n%s", code, args[1], ts.ReadFile(args[0]+".log"))
	}
}

// occupy VARIABLE listens at a free address and sets the variable to it.
func occupy(ts *testscript.TestScript, _ bool, args []string) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Defer(func() { _ = listener.Close() })
	ts.Setenv(args[0], listener.Addr().String())
}

// answer STATUS TYPE BODY directs the clients to a server that responds like this.
func serveAnswer(ts *testscript.TestScript, _ bool, args []string) {
	status, err := strconv.Atoi(args[0])
	ts.Check(err)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", args[1])
		w.WriteHeader(status)
		_, _ = w.Write([]byte(args[2]))
	}))
	ts.Defer(server.Close)
	ts.Setenv("MCP_AGGREGATOR_ADDRESS", server.URL)
}
