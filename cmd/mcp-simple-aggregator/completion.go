package main

import (
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/alecthomas/kong"
)

// completionCommand prints the script that a shell needs to complete this program's
// command lines. The scripts are made from kong's model, so that they have every command
// and flag; they are static, so that completing starts no process. docs/contributing.md
// says why no library makes them.
type completionCommand struct {
	unconfigured

	Shell string `arg:"" help:"bash, zsh or fish." enum:"bash,zsh,fish"`
}

// Run is called by kong.
func (c *completionCommand) Run(ctx *kong.Context) error {
	write := map[string]func(io.Writer, completions) error{"bash": writeBash, "zsh": writeZsh, "fish": writeFish}[c.Shell]
	return write(ctx.Stdout, completionsOf(ctx.Model.Node))
}

// completions are the words that a shell can complete.
type completions struct {
	Name     string
	Flags    []option // before or after any command
	Commands []command
}

type command struct {
	Name  string
	Help  string
	Flags []option // its own
	Words []string // the values of its argument; nil if it takes any
}

// option is a flag and its values.
type option struct {
	Name    string // without the dashes
	Help    string
	Takes   bool     // a value
	Choices []string // the values; nil if it takes any
	File    bool     // the value is a file's name
}

func completionsOf(root *kong.Node) completions {
	p := completions{Name: root.Name, Flags: options(root.Flags)}
	for _, child := range root.Children {
		if child.Hidden {
			continue
		}
		c := command{Name: child.Name, Help: child.Help, Flags: options(child.Flags)}
		for _, argument := range child.Positional {
			c.Words = append(c.Words, choices(argument)...)
		}
		p.Commands = append(p.Commands, c)
	}
	return p
}

func options(flags []*kong.Flag) []option {
	var found []option
	for _, f := range flags {
		if f.Hidden {
			continue
		}
		found = append(found, option{
			Name: f.Name, Help: f.Help, Takes: !f.IsBool() && !f.IsCounter(),
			Choices: choices(f.Value), File: strings.HasPrefix(f.PlaceHolder, "FILE"),
		})
	}
	return found
}

// limited is implemented by types with a fixed set of values.
type limited interface{ values() []string }

func choices(v *kong.Value) []string {
	if some, ok := reflect.TypeAssert[limited](v.Target); ok {
		return some.values()
	}
	if v.Enum == "" {
		return nil
	}
	return v.EnumSlice()
}

// names returns the names of the commands.
func (p completions) names() []string {
	var names []string
	for _, c := range p.Commands {
		names = append(names, c.Name)
	}
	return names
}

// lines writes lines until a write fails.
type lines struct {
	w   io.Writer
	err error
}

func (l *lines) add(format string, args ...any) {
	if l.err == nil {
		_, l.err = fmt.Fprintf(l.w, format+"\n", args...)
	}
}
