package main

import (
	"io"
	"strings"
)

// writeBash writes a function for bash 3.2 and newer. Where it offers nothing, as
// behind --config, readline completes the names of files.
func writeBash(w io.Writer, p program) error {
	l := &lines{w: w}
	f := "_" + strings.ReplaceAll(p.Name, "-", "_")
	l.add("# bash completion for %s", p.Name)
	l.add("%s() {", f)
	l.add(`  local cur=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} path= words= word`)
	l.add(`  if [ "$cur" = = ]; then cur=; elif [ "$previous" = = ]; then previous=${COMP_WORDS[COMP_CWORD-2]}; fi`)
	l.add(`  COMPREPLY=()`)
	l.add(`  case $previous in`)
	for _, o := range p.everyOption() {
		if o.Takes {
			l.add(`    --%s) COMPREPLY=($(compgen -W %s -- "$cur")); return;;`, o.Name, quoted(strings.Join(o.Choices, " ")))
		}
	}
	l.add(`  esac`)
	l.add(`  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do`)
	l.add(`    case "${path:+$path }$word" in`)
	for _, c := range p.Commands {
		l.add(`      %s) path=%s;;`, quoted(c.Path), quoted(c.Path))
	}
	l.add(`    esac`)
	l.add(`  done`)
	l.add(`  case $path in`)
	l.add(`    '') words=%s;;`, quoted(p.wordsOf("", nil)))
	for _, c := range p.Commands {
		l.add(`    %s) words=%s;;`, quoted(c.Path), quoted(p.wordsOf(c.Path, c.Flags)))
	}
	l.add(`  esac`)
	l.add(`  COMPREPLY=($(compgen -W "$words" -- "$cur"))`)
	l.add("}")
	l.add("complete -o default -F %s %s", f, p.Name)
	return l.err
}

// everyOption are the program's options and its commands', each name once.
func (p program) everyOption() []option {
	all, seen := []option(nil), map[string]bool{}
	add := func(options []option) {
		for _, o := range options {
			if !seen[o.Name] {
				seen[o.Name] = true
				all = append(all, o)
			}
		}
	}
	add(p.Flags)
	for _, c := range p.Commands {
		add(c.Flags)
	}
	return all
}

// wordsOf are the words that may follow a command: what is below it, and flags.
func (p program) wordsOf(path string, own []option) string {
	var words []string
	for _, c := range p.below(path) {
		_, name := cutLast(c.Path)
		words = append(words, name)
	}
	for _, options := range [][]option{own, p.Flags} {
		for _, o := range options {
			words = append(words, "--"+o.Name)
		}
	}
	return strings.Join(words, " ")
}

// quoted is a word of a shell. None of ours has a single quote that is not doubled
// this way.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
