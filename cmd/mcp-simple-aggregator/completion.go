package main

import (
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/alecthomas/kong"
)

// completion prints what a shell needs to complete this program's command lines.
// The scripts are made from kong's model, so that a new command or flag is in
// them; they are static, so that completing starts no process. docs/contributing.md
// says why no library makes them.
type completion struct {
	unconfigured

	Shell shell `arg:"" help:"bash, zsh or fish." enum:"bash,zsh,fish"`
}

type shell string

// BeforeApply prints the script, as kong's version flag prints the version: before
// kong asks for required flags.
func (shell) BeforeApply(k *kong.Kong, ctx *kong.Context, path *kong.Path) error {
	write, known := map[string]func(io.Writer, program) error{"bash": writeBash, "zsh": writeZsh, "fish": writeFish}[ctx.Value(path).String()]
	if !known {
		return fmt.Errorf("<shell> must be one of %s", path.Positional.Enum)
	}
	if err := write(k.Stdout, programOf(k.Model.Node)); err != nil {
		return err
	}
	k.Exit(0)
	return nil
}

// program is what can be completed.
type program struct {
	Name     string
	Flags    []option // before or after any command
	Commands []command
}

type command struct {
	Name  string
	Help  string
	Flags []option // its own
	Words []string // all that its argument can be; nil when that is free
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

// limited is implemented by the types of values of which there are only some.
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

// names are those of the commands.
func (p program) names() []string {
	var names []string
	for _, c := range p.Commands {
		names = append(names, c.Name)
	}
	return names
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
