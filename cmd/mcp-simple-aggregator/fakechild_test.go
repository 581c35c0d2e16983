package main_test

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"
)

// fakeServer is an MCP server without an SDK, so that its messages are not normalized.
// Its flags make it misbehave.
type fakeServer struct {
	secret string        // an argument that nobody may see
	mark   string        // file to create at the start
	stderr string        // text for standard error at the start
	noise  string        // line for standard output at the start
	tools  string        // raw JSON array
	about  bool          // offers tools that tell of the server: args, cwd, env, pid
	offer  string        // names of the tools, instead of them
	result string        // raw JSON; the result of every call
	refuse string        // raw JSON; the error that every call is answered with
	delay  time.Duration // before the answer to a call
	exit   int           // exit status of the end that "when" asks for
	when   string        // start, or the method that ends the server
	mute   bool          // answers nothing
	note   string        // file to create on SIGTERM
	deaf   bool          // goes on after the end of its input, and after SIGTERM
	spawn  bool          // starts a deaf process, which holds standard output
	faultFlags
}

// fakeChild is the main function of the server. It exits by syscall.Exit,
// which skips what a coverage build would write to standard error.
func fakeChild() {
	var s fakeServer
	flag.StringVar(&s.secret, "secret", "", "")
	flag.StringVar(&s.mark, "mark", "", "")
	flag.StringVar(&s.stderr, "stderr", "", "")
	flag.StringVar(&s.noise, "noise", "", "")
	flag.StringVar(&s.tools, "tools", `[{"name":"echo","inputSchema":{"type":"object"}}]`, "")
	flag.BoolVar(&s.about, "about", false, "")
	flag.StringVar(&s.offer, "offer", "", "")
	flag.StringVar(&s.result, "result", "", "")
	flag.StringVar(&s.refuse, "refuse", "", "")
	flag.DurationVar(&s.delay, "delay", 0, "")
	flag.IntVar(&s.exit, "exit", 0, "")
	flag.StringVar(&s.when, "when", "", "")
	flag.BoolVar(&s.mute, "mute", false, "")
	flag.StringVar(&s.note, "note", "", "")
	flag.BoolVar(&s.deaf, "deaf", false, "")
	flag.BoolVar(&s.spawn, "spawn", false, "")
	s.define()
	flag.Parse()
	if s.about {
		s.offer = "args,cwd,env,pid"
	}
	if s.offer != "" {
		s.tools = `[{"name":"` + strings.ReplaceAll(s.offer, ",", `"},{"name":"`) + `"}]`
	}
	s.start()
	s.serve()
	s.finish()
	syscall.Exit(0)
}

func (s *fakeServer) start() {
	if s.mark != "" {
		must(os.WriteFile(s.mark, nil, 0o600))
	}
	if s.stderr != "" {
		fmt.Fprintln(os.Stderr, os.Expand(strings.ReplaceAll(file(s.stderr), "%", "$"), os.Getenv))
	}
	if s.noise != "" {
		writeLine("%s", s.noise)
	}
	if s.deaf {
		go s.ignore(catch(syscall.SIGTERM)) // for as long as the process lives
	}
	if s.spawn {
		escaped := exec.Command(os.Args[0], "-deaf")
		escaped.Stdout = os.Stdout
		must(escaped.Start())
	}
	s.begin(s.secret)
	s.leaveAt("start")
}

func catch(sig os.Signal) <-chan os.Signal {
	c := make(chan os.Signal, 1)
	signal.Notify(c, sig)
	return c
}

func (s *fakeServer) ignore(signals <-chan os.Signal) {
	for range signals {
		if s.note != "" {
			must(os.WriteFile(s.note, nil, 0o600))
		}
	}
}

func (s *fakeServer) leaveAt(moment string) {
	if s.when == moment {
		syscall.Exit(s.exit)
	}
}

func (s *fakeServer) serve() {
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			break
		}
		must(err)
		s.handle(line)
	}
	if s.deaf {
		time.Sleep(2 * time.Minute) // longer than any test waits
	}
}

func (s *fakeServer) handle(line []byte) {
	var m struct {
		ID     json.RawMessage
		Method string
		Params json.RawMessage
	}
	must(json.Unmarshal(line, &m))
	s.leaveAt(m.Method)
	if s.mute || m.ID == nil {
		return
	}
	switch m.Method {
	case "initialize":
		reply(m.ID, s.initialize)
	case "tools/list":
		reply(m.ID, `{"tools":`+file(s.tools)+`}`)
	case "tools/call":
		s.call(m.ID, m.Params)
	default:
		writeLine(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}`, m.ID)
	}
}

// call responds as the flags say, or with facts about the server's process.
func (s *fakeServer) call(id, params json.RawMessage) {
	time.Sleep(s.delay)
	var call struct{ Name string }
	must(json.Unmarshal(params, &call))
	if s.faultFlags.call(call.Name, id) {
		return
	}
	if s.refuse != "" {
		writeLine(`{"jsonrpc":"2.0","id":%s,"error":%s}`, id, file(s.refuse))
		return
	}
	if s.result != "" {
		reply(id, file(s.result))
		return
	}
	switch call.Name {
	case "args":
		reply(id, jsonOf(os.Args[1:]))
	case "cwd":
		folder, err := os.Getwd()
		must(err)
		reply(id, jsonOf(folder))
	case "env":
		ours := slices.DeleteFunc(os.Environ(), func(variable string) bool {
			return strings.HasPrefix(variable, "GOCOVERDIR=") // of go test -cover
		})
		reply(id, jsonOf(slices.Sorted(slices.Values(ours))))
	case "die":
		syscall.Exit(s.exit)
	case "pid":
		reply(id, jsonOf(os.Getpid()))
	default:
		reply(id, string(params))
	}
}

// file returns the text, or the content of the file that it names with "@".
func file(text string) string {
	name, ok := strings.CutPrefix(text, "@")
	if !ok {
		return text
	}
	data, err := os.ReadFile(name)
	must(err)
	return strings.TrimSuffix(string(data), "\n")
}

// jsonOf returns an object that holds v.
func jsonOf(v any) string {
	data, err := json.Marshal(map[string]any{"is": v})
	must(err)
	return string(data)
}

func reply(id json.RawMessage, result string) {
	writeLine(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
}

// writeLine writes one line. It ignores a reader that has gone.
func writeLine(format string, args ...any) { _, _ = fmt.Fprintf(os.Stdout, format+lineEnd, args...) }

var lineEnd = "\n"

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "fakechild:", err)
		syscall.Exit(99)
	}
}
