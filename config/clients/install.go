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
	Needs   []string // variables that it needs
}

// Install returns the client's file, data, with the entry; data itself if it has the
// entry already. Errors are [config.Error].
func (in Installation) Install(data []byte) ([]byte, error) {
	doc, err := parse(in.File, data)
	if err != nil {
		return nil, err
	}
	if err := in.checkLiteral(doc); err != nil {
		return nil, err
	}
	splices, err := in.entrySplices(doc)
	if err != nil {
		return nil, err
	}
	if splices == nil {
		return data, nil
	}
	return in.verifyEdit(doc, applySplices(doc.text, splices))
}

// Shown returns what a [Diff] of the client's file may show. It must be called before
// Args are merged with existing ones, which may contain secrets.
func (in Installation) Shown() Shown {
	return Shown{Servers: in.Client.Servers, Key: in.Key, Texts: append([]string{"stdio", in.Command}, in.Args...)}
}

// checkLiteral returns an error if the client would expand the command or an argument
// that is not in the entry already.
func (in Installation) checkLiteral(doc *document) error {
	if in.Key == "" {
		return in.problem("key of the entry is empty; name one with --key")
	}
	existing, err := in.findEntry(doc)
	if err != nil {
		return err
	}
	var standing []string
	if existing != nil {
		_, standing = programOf(&existing.Value)
	}
	for _, text := range append([]string{in.Command}, in.Args...) {
		if !slices.Contains(standing, text) && isExpanded(in.Client.Syntax, text) {
			return in.problem(fmt.Sprintf("%s would expand the path %q; move the file to a path without dollars", in.Client.Title, text))
		}
	}
	return nil
}

func (in Installation) problem(message string) error {
	return &config.Error{Code: config.InvalidSchema, File: in.File, Message: message}
}

// Merge returns the arguments of the existing entry with the flags in Args replaced or
// added, and the names of the other flags, which are kept. Without an existing entry it
// returns Args.
func (in Installation) Merge(data []byte) (args, kept []string, err error) {
	doc, err := parse(in.File, data)
	if err != nil {
		return nil, nil, err
	}
	existing, err := in.findEntry(doc)
	if existing == nil || err != nil {
		return in.Args, nil, err
	}
	command, standing := programOf(&existing.Value)
	if !startsAggregator(command, standing, in.Command) {
		return in.Args, nil, nil
	}
	args, kept = mergeArgs(aggregatorArgs(command, standing, in.Command), in.Args)
	return args, kept, nil
}

// findEntry returns the entry; nil if there is none.
func (in Installation) findEntry(doc *document) (*hujson.ObjectMember, error) {
	servers, err := doc.findObject(&doc.root, in.Client.Servers)
	if servers == nil || err != nil {
		return nil, err
	}
	return doc.findMember(servers, in.Key)
}

func (in Installation) entrySplices(doc *document) ([]splice, error) {
	existing, err := in.findEntry(doc)
	if err != nil {
		return nil, err
	}
	if existing != nil {
		return in.updateEntry(doc, existing)
	}
	vars, _, err := in.missingEnv(doc, nil)
	if err != nil {
		return nil, err
	}
	entry := field{in.Key, in.entryFields(vars)}
	root, err := doc.findMember(&doc.root, in.Client.Servers)
	if err != nil {
		return nil, err
	}
	if root == nil {
		return doc.insertMembers(&doc.root, "", []field{{in.Client.Servers, []field{entry}}}), nil
	}
	if err := in.checkDuplicate(doc, &root.Value); err != nil {
		return nil, err
	}
	return doc.insertMembers(&root.Value, indentOf(root.Name.BeforeExtra), []field{entry}), nil
}

// checkDuplicate returns an error if another entry serves the same file, because each
// server would run twice.
func (in Installation) checkDuplicate(doc *document, servers *hujson.Value) error {
	for _, m := range membersOf(servers) {
		command, args := programOf(&m.Value)
		if file := configFlag(args); file != "" && file == configFlag(in.Args) && startsAggregator(command, args, in.Command) {
			return doc.problemAt(m.Name.StartOffset, fmt.Sprintf("%s: this entry serves the same file; choose it with --key, or remove it with uninstall",
				jsonPath(in.Client.Servers, nameOf(m))))
		}
	}
	return nil
}

func (in Installation) entryFields(vars []config.Var) []field {
	all := entryFields(config.Entry{Command: in.Command, Args: in.Args, Env: vars})
	if in.Client.WritesType {
		all = append([]field{{"type", "stdio"}}, all...)
	}
	return all
}

// verifyEdit returns the edited file if it can be parsed and has the entry. Otherwise the
// layout is not supported, and the file must not be written.
func (in Installation) verifyEdit(doc *document, text []byte) ([]byte, error) {
	edited, err := parse(in.File, text)
	if err == nil {
		if splices, err := in.entrySplices(edited); splices == nil && err == nil {
			return doc.withBOM(text), nil
		}
	}
	return nil, in.problem("layout of the file is not understood; add the entry by hand")
}

// updateEntry returns the splices that update an existing entry: the command, the
// arguments and missing variables. It leaves everything else alone.
func (in Installation) updateEntry(doc *document, existing *hujson.ObjectMember) ([]splice, error) {
	command, args := programOf(&existing.Value)
	if !startsAggregator(command, args, in.Command) {
		return nil, doc.problemAt(existing.Name.StartOffset,
			fmt.Sprintf("%s: another server has this key; choose one with --key", jsonPath(in.Client.Servers, in.Key)))
	}
	program, err := doc.findMember(&existing.Value, "command")
	if err != nil {
		return nil, err
	}
	var splices []splice
	if command != in.Command {
		splices = append(splices, overwrite(&program.Value, quote(in.Command)))
	}
	list, err := doc.findMember(&existing.Value, "args")
	if err != nil {
		return nil, err
	}
	var added []field
	switch {
	case slices.Equal(args, in.Args):
	case list == nil:
		added = append(added, field{"args", in.Args})
	default:
		splices = append(splices, doc.replaceList(list, args, in.Args)...)
	}
	return in.updateEnv(doc, existing, splices, added)
}

// updateEnv adds the splices for missing variables and for the added members.
func (in Installation) updateEnv(doc *document, existing *hujson.ObjectMember, splices []splice, added []field) ([]splice, error) {
	vars, _, err := in.missingEnv(doc, existing)
	if err != nil {
		return nil, err
	}
	env, err := doc.findMember(&existing.Value, "env")
	if err != nil {
		return nil, err
	}
	if env == nil && len(vars) > 0 {
		added = append(added, field{"env", vars})
	} else if len(vars) > 0 {
		splices = append(splices, doc.insertMembers(&env.Value, indentOf(env.Name.BeforeExtra), asFields(vars))...)
	}
	if len(added) > 0 {
		splices = append(splices, doc.insertMembers(&existing.Value, indentOf(existing.Name.BeforeExtra), added)...)
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

// replaceList returns the splices that replace the texts of a list, item by item if the
// number is the same.
func (d *document) replaceList(m *hujson.ObjectMember, before, after []string) (splices []splice) {
	list, ok := m.Value.Value.(*hujson.Array)
	if !ok || len(before) != len(after) {
		st := d.style()
		if !bytes.ContainsRune(m.Name.BeforeExtra, '\n') {
			st.newline = ""
		}
		return []splice{overwrite(&m.Value, st.renderValue(after, indentOf(m.Name.BeforeExtra)))}
	}
	for i := range list.Elements {
		if before[i] != after[i] {
			splices = append(splices, overwrite(&list.Elements[i], quote(after[i])))
		}
	}
	return splices
}

func overwrite(v *hujson.Value, text []byte) splice {
	return splice{v.StartOffset, v.EndOffset - v.StartOffset, string(text)}
}
