package clients

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/tailscale/hujson"

	"mcp-aggregator/config"
)

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
