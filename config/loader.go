package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"unicode/utf8"
)

// Loader reads an mcpServers file.
type Loader struct {
	path    Path
	only    Only
	remotes bool
}

// NewLoader returns a Loader for the file at path that reads only the servers in only.
func NewLoader(path Path, only Only) *Loader { return &Loader{path: path, only: only} }

// WithRemotes returns a Loader that also reads servers with other transports than stdio.
func (l *Loader) WithRemotes() *Loader {
	return &Loader{path: l.path, only: l.only, remotes: true}
}

// Load reads, parses and validates the file. It returns [Errors] only if no File can be
// returned; every other problem is in the File.
func (l *Loader) Load() (*File, error) {
	file, problem := l.load()
	if problem != nil {
		return nil, Errors{problem}
	}
	return file, nil
}

func (l *Loader) load() (*File, *Error) {
	name := string(l.path)
	absolute, err := filepath.Abs(name)
	if err != nil {
		return nil, unreadable(name, err)
	}
	data, problem := readFile(name)
	if problem != nil {
		return nil, problem
	}
	return l.parseText(name, absolute, data)
}

// Parse is like [Loader.Load] for the contents of the file, for example of one that is
// still to be written.
func (l *Loader) Parse(data []byte) (*File, error) {
	absolute, err := filepath.Abs(string(l.path))
	if err != nil {
		return nil, Errors{unreadable(string(l.path), err)}
	}
	file, problem := l.parseText(string(l.path), absolute, data)
	if problem != nil {
		return nil, Errors{problem}
	}
	return file, nil
}

// Read is like [Loader.Parse] for all servers of a file.
func Read(path Path, data []byte) (*File, error) { return NewLoader(path, nil).Parse(data) }

func (l *Loader) parseText(name, absolute string, data []byte) (*File, *Error) {
	text, problem := decodeText(name, data)
	if problem != nil {
		return nil, problem
	}
	doc := newDocument(name, text)
	if problem := checkSyntax(doc); problem != nil {
		return nil, problem
	}
	file, problem := parseDocument(&parser{doc: doc, only: l.only, remotes: l.remotes})
	if problem != nil {
		return nil, problem
	}
	file.Path = absolute
	return file, nil
}

const maxFileSize = 16 << 20

func readFile(name string) ([]byte, *Error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, unreadable(name, err)
	}
	defer file.Close()

	info, err := file.Stat()
	if err != nil {
		return nil, unreadable(name, err)
	}
	if info.IsDir() {
		return nil, unreadableBecause(name, "path is a directory; give the path of the file in it")
	}
	data, err := io.ReadAll(io.LimitReader(file, maxFileSize+1))
	switch {
	case err != nil:
		return nil, unreadable(name, err)
	case len(data) > maxFileSize:
		return nil, unreadableBecause(name, "file is larger than 16 MiB; give the path of an mcpServers file")
	}
	return data, nil
}

// unreadable returns the problem for an error of the operating system.
func unreadable(name string, err error) *Error {
	problem := &Error{Code: FileUnreadable, File: name, Err: err}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		problem.Code = FileNotFound
		problem.Message = "file not found; give the path of an existing mcpServers file" + relativePathHint(name)
	case errors.Is(err, fs.ErrPermission):
		problem.Message = "permission denied; allow the user who runs this program to read the file"
	default:
		problem.Message = fmt.Sprintf("file cannot be read (%v); give the path of an mcpServers file", withoutPath(err))
	}
	return problem
}

func unreadableBecause(name, message string) *Error {
	return &Error{Code: FileUnreadable, File: name, Message: message}
}

// relativePathHint says which folder a relative path starts from. Desktop clients start
// servers in a folder that the user did not choose.
func relativePathHint(name string) string {
	folder, err := filepath.Abs(".")
	if filepath.IsAbs(name) || err != nil {
		return ""
	}
	return fmt.Sprintf(" (a relative path starts from %s)", display(folder))
}

// withoutPath returns err without the path, which the message begins with anyway.
func withoutPath(err error) error {
	if pathError, ok := errors.AsType[*fs.PathError](err); ok {
		return pathError.Err
	}
	return err
}

// decodeText returns the text of a file without its byte order mark.
func decodeText(name string, data []byte) ([]byte, *Error) {
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		return nil, &Error{Code: InvalidJSON, File: name, Message: "file is encoded as UTF-16; save it as UTF-8"}
	}
	text := bytes.TrimPrefix(data, []byte("\ufeff"))
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, &Error{Code: InvalidJSON, File: name, Message: `file is empty; write at least {"mcpServers": {}}`}
	}
	if at := invalidUTF8(text); at >= 0 {
		return nil, newDocument(name, text).problemAt(InvalidJSON, "", at,
			"text is not valid UTF-8; save the file as UTF-8")
	}
	return text, nil
}

// invalidUTF8 returns the offset of the first invalid byte, or -1.
func invalidUTF8(text []byte) int {
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
	return -1
}
