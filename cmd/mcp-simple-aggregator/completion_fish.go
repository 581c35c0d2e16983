package main

import (
	"io"
	"strings"
)

// writeFish writes a file for a folder of fish's fish_complete_path.
func writeFish(w io.Writer, p completions) error {
	l := &lines{w: w}
	l.add("# fish completion for %s", p.Name)
	l.add("complete -c %s -f", p.Name)
	for _, o := range p.Flags {
		l.add("complete -c %s %s", p.Name, fishFlag(o))
	}
	for _, c := range p.Commands {
		after := fishQuoted("__fish_seen_subcommand_from " + c.Name)
		l.add("complete -c %s -n %s -a %s -d %s", p.Name, fishQuoted("not __fish_seen_subcommand_from "+strings.Join(p.names(), " ")), c.Name, fishQuoted(c.Help))
		if len(c.Words) > 0 {
			l.add("complete -c %s -n %s -a %s", p.Name, after, fishQuoted(strings.Join(c.Words, " ")))
		}
		for _, o := range c.Flags {
			l.add("complete -c %s -n %s %s", p.Name, after, fishFlag(o))
		}
	}
	return l.err
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
