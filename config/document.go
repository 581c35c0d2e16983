package config

import (
	"slices"
	"unicode/utf8"
)

// document is the text of a file and where its lines begin.
type document struct {
	name  string // as the user gave it
	text  []byte
	lines []int
}

func newDocument(name string, text []byte) *document {
	lines := []int{0}
	for i, c := range text {
		if c == '\n' {
			lines = append(lines, i+1)
		}
	}
	return &document{name: name, text: text, lines: lines}
}

// position returns line and column, in characters from 1.
func (d *document) position(offset int) (line, column int) {
	line, begins := slices.BinarySearch(d.lines, offset)
	if begins {
		line++
	}
	return line, utf8.RuneCount(d.text[d.lines[line-1]:offset]) + 1
}

func (d *document) line(offset int) int {
	line, _ := d.position(offset)
	return line
}

func (d *document) problem(code Code, path jsonPath, offset int, message string) *Error {
	line, column := d.position(offset)
	return &Error{
		Code: code, File: d.name, Path: string(path),
		Line: line, Column: column, Message: message,
	}
}
