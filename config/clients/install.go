package clients

import (
	"errors"
	"fmt"
	"slices"

	"github.com/tailscale/hujson"

	"mcp-aggregator/config"
)

// Installation is the aggregator's own entry in a client's file.
type Installation struct {
	Client  Client
	File    string // for messages
	Key     string
	Command string // absolute path of this program
	Args    []string
}

// Install returns the client's file with the entry in it: data itself if it is
// there already. Errors are [config.Error].
func (in Installation) Install(data []byte) ([]byte, error) {
	if err := in.literal(); err != nil {
		return nil, err
	}
	doc, err := parse(in.File, data)
	if err != nil {
		return nil, err
	}
	splices, err := in.splices(doc)
	if err != nil {
		return nil, err
	}
	if splices == nil {
		return data, nil
	}
	return in.checked(doc, apply(doc.text, splices))
}

// literal refuses what the client would not take as it is.
func (in Installation) literal() error {
	if in.Key == "" {
		return in.refuse("key of the entry is empty; name one with --key")
	}
	for _, text := range append([]string{in.Command}, in.Args...) {
		if in.Client.Syntax.expands(text) {
			return in.refuse(fmt.Sprintf("%s would expand the path %q; move the file to a path without dollars", in.Client.Name, text))
		}
	}
	return nil
}

func (in Installation) refuse(message string) error {
	return &config.Error{Code: config.InvalidSchema, File: in.File, Message: message}
}

func (in Installation) splices(doc *document) ([]splice, error) {
	servers, err := doc.object(&doc.root, in.Client.Servers)
	if err != nil {
		return nil, err
	}
	if servers == nil {
		return doc.insertion(&doc.root, "", []field{{in.Client.Servers, []field{{in.Key, in.fields()}}}}), nil
	}
	existing, err := doc.find(servers, in.Key)
	if err != nil {
		return nil, err
	}
	root, err := doc.find(&doc.root, in.Client.Servers)
	if err != nil {
		return nil, err
	}
	indent := indentOf(root.Name.BeforeExtra)
	if existing != nil {
		return in.update(doc, existing)
	}
	return doc.insertion(servers, indent, []field{{in.Key, in.fields()}}), nil
}

// update replaces an entry of ours that says something else.
func (in Installation) update(doc *document, existing *hujson.ObjectMember) ([]splice, error) {
	command, args := programOf(&existing.Value)
	switch {
	case command == in.Command && slices.Equal(args, in.Args):
		return nil, nil
	case !startsAggregator(command, args, in.Command):
		return nil, doc.problem(existing.Name.StartOffset,
			fmt.Sprintf("%s: another server has this key; choose one with --key", place(in.Client.Servers, in.Key)))
	}
	value := existing.Value
	text := doc.style().render(in.fields(), indentOf(existing.Name.BeforeExtra))
	return []splice{{value.StartOffset, value.EndOffset - value.StartOffset, string(text)}}, nil
}

func (in Installation) fields() []field {
	all := fields(config.Entry{Command: in.Command, Args: in.Args})
	if in.Client.Typed {
		all = append([]field{{"type", "stdio"}}, all...)
	}
	return all
}

// programOf reads as much of an entry as tells which program it starts.
func programOf(entry *hujson.Value) (command string, args []string) {
	if v := entry.Find("/command"); v != nil {
		command = literal(v)
	}
	if v := entry.Find("/args"); v != nil {
		if list, ok := v.Value.(*hujson.Array); ok {
			for i := range list.Elements {
				args = append(args, literal(&list.Elements[i]))
			}
		}
	}
	return command, args
}

// checked returns the edited file if it says what it should: whatever the
// layout of a file may be, no broken one is ever written.
func (in Installation) checked(doc *document, text []byte) ([]byte, error) {
	edited, err := parse(in.File, text)
	if err == nil {
		command, args := in.entry(edited)
		if command == in.Command && slices.Equal(args, in.Args) {
			return doc.bytes(text), nil
		}
	}
	return nil, in.refuse("layout of the file is not understood; add the entry by hand")
}

func (in Installation) entry(doc *document) (command string, args []string) {
	servers, err := doc.object(&doc.root, in.Client.Servers)
	if servers == nil || err != nil {
		return "", nil
	}
	m, err := doc.find(servers, in.Key)
	if m == nil || err != nil {
		return "", nil
	}
	return programOf(&m.Value)
}

// ErrNotInstalled is returned by Uninstall if there is no entry with the key.
var ErrNotInstalled = errors.New("there is no such entry")

// Uninstall returns the client's file without the entry, and the mcpServers
// file that the entry named. Command and Args of in are not looked at, but for
// telling this program from another server, which is left alone.
func (in Installation) Uninstall(data []byte) (out []byte, served string, err error) {
	doc, err := parse(in.File, data)
	if err != nil {
		return nil, "", err
	}
	servers, err := doc.object(&doc.root, in.Client.Servers)
	if err != nil {
		return nil, "", err
	}
	if servers == nil {
		return nil, "", ErrNotInstalled
	}
	m, err := doc.find(servers, in.Key)
	switch {
	case err != nil:
		return nil, "", err
	case m == nil:
		return nil, "", ErrNotInstalled
	}
	command, args := programOf(&m.Value)
	if !startsAggregator(command, args, in.Command) {
		return nil, "", doc.problem(m.Name.StartOffset,
			fmt.Sprintf("%s: this is another server, not %s; choose the entry with --key", place(in.Client.Servers, in.Key), Program))
	}
	text, err := doc.without(servers, map[string]bool{in.Key: true})
	if err != nil {
		return nil, "", err
	}
	return doc.bytes(text), servedBy(args), nil
}

// servedBy is the file that --config names.
func servedBy(args []string) string {
	for i, arg := range args {
		if arg == "--config" && i+1 < len(args) {
			return args[i+1]
		}
		if len(arg) > len("--config=") && arg[:len("--config=")] == "--config=" {
			return arg[len("--config="):]
		}
	}
	return ""
}
