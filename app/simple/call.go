package app

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"unicode/utf16"

	"mcp-aggregator/config"
	"mcp-aggregator/config/clients"
	"mcp-aggregator/modules/child"
	"mcp-aggregator/modules/redact"
	"mcp-aggregator/modules/registry"
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
	owners := ownersOf(o, name)
	if owners != nil {
		o.Only = owners
	}
	n, err := start(o, stdio)
	if err != nil {
		return report(o.Stderr, err)
	}
	answer, err := n.callOnce(c, o.Version, toolCall{name, arguments, owners != nil})
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

// ownersOf returns the keys of the servers that the tool with that public name could be
// of: nil if there are none, or the file cannot be read twice.
func ownersOf(o Options, name string) (keys []string) {
	if info, err := os.Stat(o.Config); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	file, err := config.NewLoader(config.Path(o.Config), o.Only).Load()
	if err != nil || len(file.Problems) > 0 {
		return nil // starting says what is wrong
	}
	naming := registry.Separator(o.Separator).NamingFor(clients.Program)
	for _, entry := range file.Servers {
		if !entry.Disabled && !entry.LeftOut && naming.MayOwn(entry.Key, name) {
			keys = append(keys, entry.Key)
		}
	}
	return keys
}

// toolCall is what is called.
type toolCall struct {
	name      string
	arguments []byte
	owned     bool // a server could have it
}

func (n *node) callOnce(c *client, version string, call toolCall) (*wire.Message, error) {
	params := wire.AppendQuoted([]byte(`{"name":`), call.name)
	params = append(append(params, `,"arguments":`...), call.arguments...)
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
		if !call.owned { // the names that are similar are known once the tools are
			if _, err := c.request("tools/list", []byte("{}")); err != nil {
				done <- outcome{nil, err}
				return
			}
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
