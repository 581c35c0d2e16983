package config

import (
	"slices"
	"strings"
)

// Needs returns the variables without default that the servers of the file
// refer to, each once, in file order; not those of servers that do not run.
func (f *File) Needs() (names []string) {
	for _, entry := range f.Servers {
		if !entry.runs() {
			continue
		}
		for _, text := range entry.texts() {
			for _, name := range needs(text) {
				if !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
	}
	return names
}

func (e Entry) texts() []string {
	texts := append([]string{e.Command}, e.Args...)
	for _, v := range e.Env {
		texts = append(texts, v.Value)
	}
	if e.Cwd != nil {
		texts = append(texts, *e.Cwd)
	}
	return texts
}

func needs(text string) (names []string) {
	for _, written := range reference.FindAllString(text, -1) {
		if v := parseVariable(written); !strings.HasPrefix(written, "$$") && !v.hasFallback {
			names = append(names, v.name)
		}
	}
	return names
}
