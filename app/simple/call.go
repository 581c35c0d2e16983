package simple

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"unicode/utf16"

	"mcp-aggregator/app/cli"
	"mcp-aggregator/config"
	"mcp-aggregator/modules/child"
	"mcp-aggregator/modules/redact"
	"mcp-aggregator/modules/registry"
	"mcp-aggregator/modules/wire"
)

// Call calls the tool with that public name once, with the JSON object arguments, and
// prints the result as the server wrote it. It reports what goes wrong on o.Stderr; the
// error it returns is a [cli.ExitError].
func Call(o Options, name string, arguments []byte) error {
	return Attend(o, func(o Options) error { return call(o, name, arguments) })
}

func call(o Options, name string, arguments []byte) error {
	c, stdio := NewClient()
	defer c.Close()
	owners := ownersOf(o, name)
	if owners != nil {
		o.Only = owners
	}
	n, err := Start(o, stdio)
	if err != nil {
		return err
	}
	response, err := n.callOnce(c, o.Version, toolCall{name, arguments, owners != nil})
	if err = errors.Join(err, n.Stop()); err != nil {
		return err
	}
	if raw := response.Error.Of(response.Line); raw != nil {
		fmt.Fprintln(o.Stderr, n.redacted(raw))
		return cli.Exit(cli.ExitFailed)
	}
	result := response.Result.Of(response.Line)
	if err := n.Print(func() error {
		_, err := fmt.Fprintf(o.Stdout, "%s\n", result)
		return err
	}); err != nil {
		return err
	}
	if string(wire.Member(result, "isError").Of(result)) == "true" {
		return cli.Exit(cli.ExitFailed)
	}
	return nil
}

// ownersOf returns the keys of the servers that may have the tool with that public
// name, so that no other has to be started: nil if there are none, or if the file cannot
// be read twice.
func ownersOf(o Options, name string) (keys []string) {
	if info, err := os.Stat(o.Config); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	file, err := config.NewLoader(config.Path(o.Config), o.Only).Load()
	if err != nil || len(file.Problems) > 0 {
		return nil // Start reports what is wrong
	}
	naming := registry.Separator(o.Separator).NamingFor(program)
	for _, entry := range file.Servers {
		if !entry.Disabled && !entry.LeftOut && naming.MayOwn(entry.Key, name) {
			keys = append(keys, entry.Key)
		}
	}
	return keys
}

// toolCall is one call of a tool.
type toolCall struct {
	name      string
	arguments []byte
	owned     bool // a server may have the tool
}

func (n *Node) callOnce(c *Client, version string, call toolCall) (*wire.Message, error) {
	params := wire.AppendQuoted([]byte(`{"name":`), call.name)
	params = append(append(params, `,"arguments":`...), call.arguments...)
	type outcome struct {
		response *wire.Message
		err      error
	}
	done := make(chan outcome, 1)
	go func() { // ends with the response, or when Stop breaks the pipes
		if err := c.Initialize(version); err != nil {
			done <- outcome{nil, err}
			return
		}
		if !call.owned { // the error suggests similar names, which need the list
			if _, err := c.request("tools/list", []byte("{}")); err != nil {
				done <- outcome{nil, err}
				return
			}
		}
		response, err := c.request("tools/call", append(params, '}'))
		done <- outcome{response, err}
	}()
	select {
	case o := <-done:
		return o.response, o.err
	case <-n.signals:
		return nil, errInterrupted
	}
}

// redacted returns an error as the server wrote it, without the secrets of the servers,
// and with what could act on a terminal escaped as in JSON.
func (n *Node) redacted(raw []byte) string {
	var secrets []string
	for _, server := range n.Config.Servers {
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
