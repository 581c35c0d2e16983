package app

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"

	"mcp-aggregator/modules/child"
	"mcp-aggregator/modules/redact"
	"mcp-aggregator/modules/wire"
)

// errInterrupted ends check and call when a signal asks to stop before they
// are done.
var errInterrupted = errors.New("interrupted")

// Call calls the tool with that public name once, with the JSON object
// arguments, prints the result as it came, and returns the exit code.
func Call(o Options, name string, arguments []byte) int {
	return attended(o, func(o Options) int { return call(o, name, arguments) })
}

func call(o Options, name string, arguments []byte) int {
	c, stdio := newClient()
	defer c.close()
	n, err := start(o, stdio)
	if err != nil {
		return report(o.Stderr, err)
	}
	answer, err := n.callOnce(c, o.Version, name, arguments)
	if err = errors.Join(err, n.stop()); err != nil {
		return report(o.Stderr, err)
	}
	if raw := answer.Error.Of(answer.Line); raw != nil {
		fmt.Fprintln(o.Stderr, n.harmless(raw))
		return ExitFailed
	}
	result := answer.Result.Of(answer.Line)
	if err := n.printing(func() error {
		_, err := fmt.Fprintf(o.Stdout, "%s\n", result)
		return err
	}); err != nil {
		return report(o.Stderr, err)
	}
	if string(wire.Member(result, "isError").Of(result)) == "true" {
		return ExitFailed
	}
	return ExitOK
}

func (n *node) callOnce(c *client, version, name string, arguments []byte) (*wire.Message, error) {
	params := wire.AppendQuoted([]byte(`{"name":`), name)
	params = append(append(params, `,"arguments":`...), arguments...)
	type outcome struct {
		answer *wire.Message
		err    error
	}
	done := make(chan outcome, 1)
	go func() { // ends when the answer is there, or when stopping breaks the pipes
		if err := c.initialize(version); err != nil {
			done <- outcome{nil, err}
			return
		}
		answer, err := c.request("tools/call", append(params, '}'))
		done <- outcome{answer, err}
	}()
	select {
	case o := <-done:
		return o.answer, o.err
	case <-n.signals:
		return nil, errInterrupted
	}
}

// harmless is an error as it came, but for the secrets of the servers and for what
// could act on a terminal.
func (n *node) harmless(raw []byte) string {
	var secrets []string
	for _, server := range n.config.Servers {
		secrets = append(secrets, child.SecretsOf(server)...)
	}
	text := redact.New(secrets).Redact(string(raw))
	var out strings.Builder
	for _, r := range text {
		if strconv.IsPrint(r) {
			out.WriteRune(r)
		} else {
			for _, unit := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&out, `\u%04x`, unit)
			}
		}
	}
	return out.String()
}
