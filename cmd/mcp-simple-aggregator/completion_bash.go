package main

import (
	"io"
	"slices"
	"strings"
)

// writeBash writes a function for bash 3.2 and newer. Where it offers nothing, as after
// --config, readline completes file names.
func writeBash(w io.Writer, p completions) error {
	l := &lines{w: w}
	f := "_" + strings.ReplaceAll(p.Name, "-", "_")
	l.add("# bash completion for %s", p.Name)
	l.add("%s() {", f)
	l.add(`  local cur=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command= words= word`)
	l.add(`  if [ "$cur" = = ]; then cur=; elif [ "$previous" = = ]; then previous=${COMP_WORDS[COMP_CWORD-2]}; fi`)
	l.add(`  COMPREPLY=()`)
	l.add(`  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do`)
	l.add(`    case $command:$word in :%s) command=$word;; esac`, strings.Join(p.names(), "|:"))
	l.add(`  done`)
	l.add(`  case $command:$previous in`)
	for _, c := range p.Commands {
		addBashValues(l, c.Name, c.Flags)
	}
	addBashValues(l, "*", p.Flags)
	l.add(`  esac`)
	l.add(`  case $command in`)
	l.add(`    '') words=%s;;`, quoted(p.wordsOf(command{Words: p.names()})))
	for _, c := range p.Commands {
		l.add(`    %s) words=%s;;`, c.Name, quoted(p.wordsOf(c)))
	}
	l.add(`  esac`)
	l.add(`  COMPREPLY=($(compgen -W "$words" -- "$cur"))`)
	l.add("}")
	l.add("complete -o default -F %s %s", f, p.Name)
	return l.err
}

// addBashValues writes the values of the flags of a command.
func addBashValues(l *lines, command string, flags []option) {
	for _, o := range flags {
		if o.Takes {
			l.add(`    %s:--%s) COMPREPLY=($(compgen -W %s -- "$cur")); return;;`, command, o.Name, quoted(strings.Join(o.Choices, " ")))
		}
	}
}

// wordsOf returns the words that may follow a command.
func (p completions) wordsOf(c command) string {
	words := slices.Clone(c.Words)
	for _, o := range slices.Concat(c.Flags, p.Flags) {
		words = append(words, "--"+o.Name)
	}
	return strings.Join(words, " ")
}

// quoted returns text as one word of a shell.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
