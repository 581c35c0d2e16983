package main

import (
	"io"
	"strings"
)

// writeFish writes a file for a folder of fish's fish_complete_path.
func writeFish(w io.Writer, p program) error {
	l := &lines{w: w}
	l.add("# fish completion for %s", p.Name)
	l.add("complete -c %s -f", p.Name)
	for _, o := range p.Flags {
		l.add("complete -c %s %s", p.Name, fishFlag(o))
	}
	for _, c := range p.Commands {
		parent, name := cutLast(c.Path)
		l.add("complete -c %s -n %s -a %s -d %s", p.Name, fishQuoted(p.fishAfter(parent)), name, fishQuoted(c.Help))
		for _, o := range c.Flags {
			l.add("complete -c %s -n %s %s", p.Name, fishQuoted(p.fishAfter(c.Path)), fishFlag(o))
		}
	}
	return l.err
}

// fishAfter is the condition that a path is written, and nothing below it.
func (p program) fishAfter(path string) string {
	var conditions []string
	for word := range strings.FieldsSeq(path) {
		conditions = append(conditions, "__fish_seen_subcommand_from "+word)
	}
	var below []string
	for _, c := range p.below(path) {
		_, name := cutLast(c.Path)
		below = append(below, name)
	}
	if len(below) > 0 {
		conditions = append(conditions, "not __fish_seen_subcommand_from "+strings.Join(below, " "))
	}
	return strings.Join(conditions, "; and ")
}

func fishFlag(o option) string {
	flag := "-l " + o.Name
	switch {
	case o.File:
		flag += " -r -F"
	case len(o.Choices) > 0:
		flag += " -x -a " + fishQuoted(strings.Join(o.Choices, " "))
	case o.Takes:
		flag += " -x"
	}
	return flag + " -d " + fishQuoted(o.Help)
}

func fishQuoted(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(text) + "'"
}
