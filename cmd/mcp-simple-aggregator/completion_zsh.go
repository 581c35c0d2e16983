package main

import (
	"io"
	"strings"
)

// writeZsh writes a file for a folder of zsh's fpath.
func writeZsh(w io.Writer, p completions) error {
	l := &lines{w: w}
	f := "_" + p.Name
	l.add("#compdef %s", p.Name)
	l.add("%s() {", f)
	l.add(`  local context state state_descr line command= word`)
	l.add(`  local -a offered flags`)
	l.add(`  local -A opt_args`)
	l.add(`  for word in "${(@)words[2,CURRENT-1]}"; do`)
	l.add(`    case $command:$word in (:%s) command=$word;; esac`, strings.Join(p.names(), "|:"))
	l.add(`  done`)
	l.add(`  flags=(%s)`, zshFlags(p.Flags))
	l.add(`  case $command in`)
	l.add(`    ('') offered=(%s);;`, zshCommands(p.Commands))
	for _, c := range p.Commands {
		l.add(`    (%s) flags+=(%s); offered=(%s);;`, c.Name, zshFlags(c.Flags), strings.Join(c.Words, " "))
	}
	l.add(`  esac`)
	l.add(`  _arguments -C "${flags[@]}" '*:argument:->argument' && return`)
	l.add(`  [[ $state == argument ]] && (( $#offered )) && _describe argument offered`)
	l.add("}")
	l.add(`if [ "$funcstack[1]" = %s ]; then %s "$@"; else compdef %s %s; fi`, quoted(f), f, f, p.Name)
	return l.err
}

func zshFlags(options []option) string {
	var specs []string
	for _, o := range options {
		spec := "--" + o.Name
		if o.Takes {
			spec += "="
		}
		spec += "[" + zshText(o.Help) + "]"
		switch {
		case o.File:
			spec += ":file:_files"
		case len(o.Choices) > 0:
			spec += ":value:(" + strings.Join(o.Choices, " ") + ")"
		case o.Takes:
			spec += ":value:"
		}
		specs = append(specs, quoted(spec))
	}
	return strings.Join(specs, " ")
}

func zshCommands(commands []command) string {
	var specs []string
	for _, c := range commands {
		specs = append(specs, quoted(c.Name+":"+zshText(c.Help)))
	}
	return strings.Join(specs, " ")
}

// zshText escapes what separates the parts of a specification.
func zshText(text string) string {
	return strings.NewReplacer(`\`, `\\`, ":", `\:`, "[", `\[`, "]", `\]`).Replace(text)
}
