package clients

import (
	"bytes"
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
	Needs   []string // variables that it has to be given
}

// Install returns the client's file with the entry in it: data itself if it is
// there already. Errors are [config.Error].
func (in Installation) Install(data []byte) ([]byte, error) {
	doc, err := parse(in.File, data)
	if err != nil {
		return nil, err
	}
	if err := in.literal(doc); err != nil {
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

// Shown is what a [Diff] of the client's file may show: Args that are merged with
// others' may hold secrets, so it has to be asked before.
func (in Installation) Shown() Shown {
	return Shown{Servers: in.Client.Servers, Key: in.Key, Texts: append([]string{"stdio", in.Command}, in.Args...)}
}

// literal refuses what the client would not take as it is, unless it stands in
// the entry already.
func (in Installation) literal(doc *document) error {
	if in.Key == "" {
		return in.refuse("key of the entry is empty; name one with --key")
	}
	existing, err := in.find(doc)
	if err != nil {
		return err
	}
	var standing []string
	if existing != nil {
		_, standing = programOf(&existing.Value)
	}
	for _, text := range append([]string{in.Command}, in.Args...) {
		if !slices.Contains(standing, text) && expands(in.Client.Syntax, text) {
			return in.refuse(fmt.Sprintf("%s would expand the path %q; move the file to a path without dollars", in.Client.Title, text))
		}
	}
	return nil
}

func (in Installation) refuse(message string) error {
	return &config.Error{Code: config.InvalidSchema, File: in.File, Message: message}
}

// Merge returns the arguments of an entry that is there already, with those of
// Args in place of what they say anew, and the flags that are kept. Without an
// entry these are Args.
func (in Installation) Merge(data []byte) (args, kept []string, err error) {
	doc, err := parse(in.File, data)
	if err != nil {
		return nil, nil, err
	}
	existing, err := in.find(doc)
	if existing == nil || err != nil {
		return in.Args, nil, err
	}
	command, standing := programOf(&existing.Value)
	if !startsAggregator(command, standing, in.Command) {
		return in.Args, nil, nil
	}
	args, kept = merge(ownArguments(command, standing, in.Command), in.Args)
	return args, kept, nil
}

// find returns the entry; nil if there is none.
func (in Installation) find(doc *document) (*hujson.ObjectMember, error) {
	servers, err := doc.object(&doc.root, in.Client.Servers)
	if servers == nil || err != nil {
		return nil, err
	}
	return doc.find(servers, in.Key)
}

func (in Installation) splices(doc *document) ([]splice, error) {
	existing, err := in.find(doc)
	if err != nil {
		return nil, err
	}
	if existing != nil {
		return in.update(doc, existing)
	}
	vars, _, err := in.environment(doc, nil)
	if err != nil {
		return nil, err
	}
	entry := field{in.Key, in.fields(vars)}
	root, err := doc.find(&doc.root, in.Client.Servers)
	if err != nil {
		return nil, err
	}
	if root == nil {
		return doc.insertion(&doc.root, "", []field{{in.Client.Servers, []field{entry}}}), nil
	}
	if err := in.alone(doc, &root.Value); err != nil {
		return nil, err
	}
	return doc.insertion(&root.Value, indentOf(root.Name.BeforeExtra), []field{entry}), nil
}

// alone refuses a second entry for the same file: each server would run twice.
func (in Installation) alone(doc *document, servers *hujson.Value) error {
	for _, m := range membersOf(servers) {
		command, args := programOf(&m.Value)
		if file := servedBy(args); file != "" && file == servedBy(in.Args) && startsAggregator(command, args, in.Command) {
			return doc.problem(m.Name.StartOffset, fmt.Sprintf("%s: this entry serves the same file; choose it with --key, or take it out with uninstall",
				place(in.Client.Servers, nameOf(m))))
		}
	}
	return nil
}

func (in Installation) fields(vars []config.Var) []field {
	all := fields(config.Entry{Command: in.Command, Args: in.Args, Env: vars})
	if in.Client.Typed {
		all = append([]field{{"type", "stdio"}}, all...)
	}
	return all
}

// checked returns the edited file if it says what it should: whatever the
// layout of a file may be, no broken one is ever written.
func (in Installation) checked(doc *document, text []byte) ([]byte, error) {
	edited, err := parse(in.File, text)
	if err == nil {
		if splices, err := in.splices(edited); splices == nil && err == nil {
			return doc.bytes(text), nil
		}
	}
	return nil, in.refuse("layout of the file is not understood; add the entry by hand")
}

// update has an entry of ours say what it should, and touches nothing of it but
// the command, the arguments and variables that it does not have.
func (in Installation) update(doc *document, existing *hujson.ObjectMember) ([]splice, error) {
	command, args := programOf(&existing.Value)
	if !startsAggregator(command, args, in.Command) {
		return nil, doc.problem(existing.Name.StartOffset,
			fmt.Sprintf("%s: another server has this key; choose one with --key", place(in.Client.Servers, in.Key)))
	}
	program, err := doc.find(&existing.Value, "command")
	if err != nil {
		return nil, err
	}
	var splices []splice
	if command != in.Command {
		splices = append(splices, over(&program.Value, quote(in.Command)))
	}
	list, err := doc.find(&existing.Value, "args")
	if err != nil {
		return nil, err
	}
	var added []field
	switch {
	case slices.Equal(args, in.Args):
	case list == nil:
		added = append(added, field{"args", in.Args})
	default:
		splices = append(splices, doc.relist(list, args, in.Args)...)
	}
	return in.updateEnv(doc, existing, splices, added)
}

// updateEnv adds variables, and the members that are missing for other reasons.
func (in Installation) updateEnv(doc *document, existing *hujson.ObjectMember, splices []splice, added []field) ([]splice, error) {
	vars, _, err := in.environment(doc, existing)
	if err != nil {
		return nil, err
	}
	env, err := doc.find(&existing.Value, "env")
	if err != nil {
		return nil, err
	}
	if env == nil && len(vars) > 0 {
		added = append(added, field{"env", vars})
	} else if len(vars) > 0 {
		splices = append(splices, doc.insertion(&env.Value, indentOf(env.Name.BeforeExtra), asFields(vars))...)
	}
	if len(added) > 0 {
		splices = append(splices, doc.insertion(&existing.Value, indentOf(existing.Name.BeforeExtra), added)...)
	}
	return splices, nil
}

func asFields(vars []config.Var) []field {
	fields := make([]field, len(vars))
	for i, one := range vars {
		fields[i] = field{one.Name, one.Value}
	}
	return fields
}

// relist writes other texts into a list: item by item where there are as many.
func (d *document) relist(m *hujson.ObjectMember, before, after []string) (splices []splice) {
	list, ok := m.Value.Value.(*hujson.Array)
	if !ok || len(before) != len(after) {
		st := d.style()
		if !bytes.ContainsRune(m.Name.BeforeExtra, '\n') {
			st.newline = ""
		}
		return []splice{over(&m.Value, st.value(after, indentOf(m.Name.BeforeExtra)))}
	}
	for i := range list.Elements {
		if before[i] != after[i] {
			splices = append(splices, over(&list.Elements[i], quote(after[i])))
		}
	}
	return splices
}

func over(v *hujson.Value, text []byte) splice {
	return splice{v.StartOffset, v.EndOffset - v.StartOffset, string(text)}
}
