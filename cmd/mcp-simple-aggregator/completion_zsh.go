package main

import (
	"io"
	"strings"
)

// writeZsh writes a file for a folder of zsh's fpath.
func writeZsh(w io.Writer, p program) error {
	l := &lines{w: w}
	f := "_" + p.Name
	l.add("#compdef %s", p.Name)
	l.add("%s() {", f)
	l.add(`  local context state state_descr line at= word`)
	l.add(`  local -a commands flags`)
	l.add(`  local -A opt_args`)
	l.add(`  for word in "${(@)words[2,CURRENT-1]}"; do`)
	l.add(`    case "${at:+$at }$word" in`)
	for _, c := range p.Commands {
		l.add(`      (%s) at=%s;;`, quoted(c.Path), quoted(c.Path))
	}
	l.add(`    esac`)
	l.add(`  done`)
	l.add(`  flags=(%s)`, strings.Join(zshFlags(p.Flags), " "))
	l.add(`  case $at in`)
	l.add(`    ('') commands=(%s);;`, zshCommands(p.below("")))
	for _, c := range p.Commands {
		l.add(`    (%s) flags+=(%s); commands=(%s);;`, quoted(c.Path), strings.Join(zshFlags(c.Flags), " "), zshCommands(p.below(c.Path)))
	}
	l.add(`  esac`)
	l.add(`  _arguments -C "${flags[@]}" '*:command:->command' && return`)
	l.add(`  [[ $state == command ]] && (( $#commands )) && _describe command commands`)
	l.add("}")
	l.add(`if [ "$funcstack[1]" = %s ]; then %s "$@"; else compdef %s %s; fi`, quoted(f), f, f, p.Name)
	return l.err
}

func zshFlags(options []option) []string {
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
	return specs
}

func zshCommands(commands []command) string {
	var specs []string
	for _, c := range commands {
		_, name := cutLast(c.Path)
		specs = append(specs, quoted(name+":"+zshText(c.Help)))
	}
	return strings.Join(specs, " ")
}

// zshText escapes what separates the parts of a specification.
func zshText(text string) string {
	return strings.NewReplacer(`\`, `\\`, ":", `\:`, "[", `\[`, "]", `\]`).Replace(text)
}
