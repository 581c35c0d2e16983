package config

import "path/filepath"

// Loader reads an mcpServers file.
type Loader struct {
	path    Path
	only    Only
	remotes bool
}

// NewLoader returns a Loader for the file at path that reads only those servers.
func NewLoader(path Path, only Only) *Loader { return &Loader{path: path, only: only} }

// WithRemotes has servers of other transports read, which are left out otherwise.
func (l *Loader) WithRemotes() *Loader {
	return &Loader{path: l.path, only: l.only, remotes: true}
}

// Load reads, parses and validates the file. It returns [Errors] only for what
// leaves nothing to go on; every other problem is in the File.
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
	return l.read(name, absolute, data)
}

// Parse is like [Loader.Load] for a file's bytes that are at hand, such as those
// of a file that is still to be written at that path.
func (l *Loader) Parse(data []byte) (*File, error) {
	absolute, err := filepath.Abs(string(l.path))
	if err != nil {
		return nil, Errors{unreadable(string(l.path), err)}
	}
	file, problem := l.read(string(l.path), absolute, data)
	if problem != nil {
		return nil, Errors{problem}
	}
	return file, nil
}

// Read is like [Loader.Parse] for all servers of a file.
func Read(path Path, data []byte) (*File, error) { return NewLoader(path, nil).Parse(data) }

func (l *Loader) read(name, absolute string, data []byte) (*File, *Error) {
	text, problem := decodeText(name, data)
	if problem != nil {
		return nil, problem
	}
	doc := newDocument(name, text)
	if problem := checkSyntax(doc); problem != nil {
		return nil, problem
	}
	file, problem := parse(&parser{doc: doc, only: l.only, remotes: l.remotes})
	if problem != nil {
		return nil, problem
	}
	file.Path = absolute
	return file, nil
}
