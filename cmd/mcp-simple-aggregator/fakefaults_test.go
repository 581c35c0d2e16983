package main_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// faultFlags are the faults of a fake server, triggered by a flag or by a call of a tool
// of that name.
type faultFlags struct {
	initialize string // raw JSON; the result
	leak       bool   // writes its secrets to standard error at the start
	orphan     bool   // has a deaf process started by one that ends
	raw        string // for standard output at the start, without a newline after it
	before     string // lines before the answer to every call, with ID for its id
	half       string // for standard output at the end
	crlf       bool   // ends its lines like Windows
	count      string // file that grows by a byte with every call
	flood      int    // notifications that "flood" sends before it is answered
	gush       int    // megabytes that "gush" writes to standard error before it is answered
	big        int    // bytes of the result of "big"
}

func (f *faultFlags) define() {
	flag.StringVar(&f.initialize, "initialize", `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"fake","version":"1"}}`, "")
	flag.BoolVar(&f.leak, "leak", false, "")
	flag.BoolVar(&f.orphan, "orphan", false, "")
	flag.StringVar(&f.raw, "raw", "", "")
	flag.StringVar(&f.before, "before", "", "")
	flag.StringVar(&f.half, "half", "", "")
	flag.BoolVar(&f.crlf, "crlf", false, "")
	flag.StringVar(&f.count, "count", "", "")
	flag.IntVar(&f.flood, "flood", 0, "")
	flag.IntVar(&f.gush, "gush", 0, "")
	flag.IntVar(&f.big, "big", 0, "")
}

// begin runs the faults that precede the first line of input.
func (f *faultFlags) begin(secret string) {
	if f.crlf {
		lineEnd = "\r\n"
	}
	if f.leak {
		fmt.Fprintf(os.Stderr, "%s and %s", secret, os.Getenv("PASSWORD"))
	}
	if f.orphan {
		between := exec.Command("sh", "-c", `"$0" -deaf &`, os.Args[0])
		between.Stdout = os.Stdout
		must(between.Run())
	}
	fmt.Fprint(os.Stdout, file(f.raw))
}

// finish runs the faults that follow the last line of input.
func (f *faultFlags) finish() { fmt.Fprint(os.Stdout, f.half) }

// call runs the fault of that name. It reports whether that has answered the call, or
// whether nothing will.
func (f *faultFlags) call(tool string, id json.RawMessage) bool {
	if f.count != "" {
		f.note()
	}
	for line := range strings.Lines(file(f.before)) {
		writeLine("%s", strings.ReplaceAll(strings.TrimSuffix(line, "\n"), "ID", string(id)))
	}
	switch tool {
	case "hang":
	case "half":
		fmt.Fprintf(os.Stdout, `{"jsonrpc":"2.0","id":%s,"resu`, id)
		syscall.Exit(7)
	case "stall":
		time.Sleep(2 * time.Minute) // longer than any test waits
	case "flood":
		out := bufio.NewWriterSize(os.Stdout, 64<<10)
		for n := range f.flood {
			fmt.Fprintf(out, floodLine+"\n", n)
		}
		_ = out.Flush() // a reader that is gone hears nothing
		reply(id, `{}`)
	case "gush":
		chunk := bytes.Repeat([]byte(strings.Repeat("x", 1023)+"\n"), 1024)
		for range f.gush {
			_, err := os.Stderr.Write(chunk)
			must(err)
		}
		reply(id, `{}`)
	case "big":
		fmt.Fprintf(os.Stdout, `{"jsonrpc":"2.0","id":%s,"result":{"is":"`, id)
		_, _ = io.CopyN(os.Stdout, endless('x'), int64(f.big)) // a reader that is gone hears nothing
		writeLine(`"}}`)
	default:
		return false
	}
	return true
}

// floodLine is the format of a notification of a flood.
const floodLine = `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":%d}}`

func (f *faultFlags) note() {
	log, err := os.OpenFile(f.count, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	must(err)
	_, err = log.WriteString(".")
	must(err)
	must(log.Close())
}

// endless is a reader of one byte, repeated forever.
type endless byte

func (e endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(e)
	}
	return len(p), nil
}
