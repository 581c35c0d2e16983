package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"
)

// completion prints what a shell needs to complete this program's command lines.
// The scripts are made from kong's model, so that a new command or flag is in
// them; they are static, so that completing starts no process.
type completion struct {
	Bash bashScript `cmd:"" help:"Print the completion script for bash."`
	Zsh  zshScript  `cmd:"" help:"Print the completion script for zsh."`
	Fish fishScript `cmd:"" help:"Print the completion script for fish."`
}

type (
	bashScript struct{}
	zshScript  struct{}
	fishScript struct{}
)

// BeforeApply prints the script, as kong's version flag prints the version: before
// kong asks for required flags.
func (bashScript) BeforeApply(k *kong.Kong) error { return printScript(k, writeBash) }

// BeforeApply prints the script.
func (zshScript) BeforeApply(k *kong.Kong) error { return printScript(k, writeZsh) }

// BeforeApply prints the script.
func (fishScript) BeforeApply(k *kong.Kong) error { return printScript(k, writeFish) }

func printScript(k *kong.Kong, write func(io.Writer, program) error) error {
	if err := write(k.Stdout, programOf(k.Model.Node)); err != nil {
		return err
	}
	k.Exit(0)
	return nil
}

// program is what can be completed.
type program struct {
	Name     string
	Flags    []option  // before or after any command
	Commands []command // and commands of commands
}

type command struct {
	Path  string // "check", "completion bash"
	Help  string
	Flags []option // its own
}

// option is a flag, and what may follow it.
type option struct {
	Name    string // without the dashes
	Help    string
	Takes   bool     // a value
	Choices []string // all the values there are
	File    bool     // the value is a file's name
}

func programOf(root *kong.Node) program {
	p := program{Name: root.Name, Flags: options(root.Flags)}
	p.Commands = commandsOf(root, "")
	return p
}

func commandsOf(node *kong.Node, path string) []command {
	var found []command
	for _, child := range node.Children {
		if child.Hidden || child.Type != kong.CommandNode {
			continue
		}
		name := strings.TrimSpace(path + " " + child.Name)
		found = append(found, command{Path: name, Help: child.Help, Flags: options(child.Flags)})
		found = append(found, commandsOf(child, name)...)
	}
	return found
}

func options(flags []*kong.Flag) []option {
	var found []option
	for _, f := range flags {
		if f.Hidden {
			continue
		}
		found = append(found, option{
			Name: f.Name, Help: f.Help, Takes: !f.IsBool() && !f.IsCounter(),
			Choices: choices(f), File: strings.HasPrefix(f.PlaceHolder, "FILE"),
		})
	}
	return found
}

func choices(f *kong.Flag) []string {
	if f.Enum == "" {
		return nil
	}
	return f.EnumSlice()
}

// below are the commands one level under a path; "" is the program.
func (p program) below(path string) []command {
	var found []command
	for _, c := range p.Commands {
		if parent, _ := cutLast(c.Path); parent == path {
			found = append(found, c)
		}
	}
	return found
}

// cutLast cuts a path before its last word.
func cutLast(path string) (parent, name string) {
	at := strings.LastIndexByte(path, ' ')
	return path[:max(at, 0)], path[at+1:]
}

// lines writes lines until one fails.
type lines struct {
	w   io.Writer
	err error
}

func (l *lines) add(format string, args ...any) {
	if l.err == nil {
		_, l.err = fmt.Fprintf(l.w, format+"\n", args...)
	}
}
