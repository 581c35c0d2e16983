package clients

import (
	"fmt"

	"mcp-aggregator/config"
)

// Moving carries the servers of a client's file over into an mcpServers file.
type Moving struct {
	System System
	Client Client
	File   string // the client's, for messages
	Folder string // of the project whose file it is; "" otherwise
	Self   string // path of this program
	Key    string // of its entry, which stays without a word
	Ours   string // the mcpServers file
	Env    config.Env
}

// Moved is what became of both files.
type Moved struct {
	Client, Ours []byte
	Keys         []string // of the servers that are in Ours now
	LeftOut      []Line   // servers that stay with the client
	Notes        []Line
}

// Move takes the servers out of the client's file, data, into ours; nil for a
// file that is still to be made. What cannot be taken over stays. Errors are
// [config.Error] or [config.Errors].
func (m Moving) Move(data, ours []byte) (Moved, error) {
	if m.File == m.Ours { // what has moved would be removed
		return Moved{}, &config.Error{
			Code: config.InvalidSchema, File: m.File,
			Message: "file is the client's own; move its servers to another one",
		}
	}
	if ours == nil {
		ours = []byte("{\n  \"mcpServers\": {}\n}\n")
	}
	found := Collection{System: System{GOOS: m.System.GOOS, Lookup: m.Env.Lookup}, Self: m.Self}
	if err := found.Add(m.Client, m.Folder, m.File, data); err != nil {
		return Moved{}, err
	}
	moved := Moved{Client: data, Ours: ours}
	for _, line := range found.LeftOut {
		if line.Path != place(m.Client.Servers, m.Key) {
			moved.LeftOut = append(moved.LeftOut, line)
		}
	}
	added, err := m.choose(found.Servers, &moved)
	if err != nil {
		return Moved{}, err
	}
	if moved.Ours, err = add(m.Ours, ours, added); err != nil {
		return Moved{}, err
	}
	moved.Client, err = m.remove(data, moved.Keys)
	return moved, err
}

// choose decides which servers move, and returns those that are not in our file
// yet.
func (m Moving) choose(servers []Server, moved *Moved) (added []field, err error) {
	file, err := read(m.Ours, moved.Ours)
	if err != nil {
		return nil, err
	}
	present := make(map[string]config.Entry)
	for _, entry := range file.Servers {
		present[entry.Key] = entry
	}
	for _, server := range servers {
		entry, taken := present[server.Key]
		if why := m.unmovable(server, entry, taken); why != "" {
			moved.LeftOut = append(moved.LeftOut, Line{m.File, place(m.Client.Servers, server.Key), why})
			continue
		}
		moved.Keys = append(moved.Keys, server.Key)
		for _, text := range server.notes {
			moved.Notes = append(moved.Notes, Line{m.File, place(m.Client.Servers, server.Key), text})
		}
		if !taken {
			added = append(added, field{server.Key, fields(server.Entry)})
		}
	}
	return added, nil
}

// unmovable says why a server stays with the client; entry is what our file has
// under its key.
func (m Moving) unmovable(server Server, entry config.Entry, taken bool) string {
	for _, need := range Unset([]Server{server}, m.Env) {
		if need.Why != "" {
			continue // the client goes on to ask for it
		}
		return fmt.Sprintf("environment variable %q is not set; set it and install again", need.Name)
	}
	if taken && (entry.Disabled || !server.same(Server{Entry: entry})) {
		return m.Ours + " has another server with this key; rename one of them"
	}
	return ""
}

// read is [config.Read] with the problems of the file as an error.
func read(name string, data []byte) (*config.File, error) {
	file, err := config.Read(config.Path(name), data)
	if err == nil && len(file.Problems) > 0 {
		err = file.Problems
	}
	return file, err
}

func add(name string, data []byte, added []field) ([]byte, error) {
	if len(added) == 0 {
		return data, nil
	}
	doc, err := parse(name, data)
	if err != nil {
		return nil, err
	}
	root, err := doc.find(&doc.root, "mcpServers")
	if err != nil || root == nil {
		return nil, err // a file that was read has the member
	}
	text := doc.bytes(apply(doc.text, doc.insertion(&root.Value, indentOf(root.Name.BeforeExtra), added)))
	_, err = read(name, text)
	return text, err
}

func (m Moving) remove(data []byte, keys []string) ([]byte, error) {
	if len(keys) == 0 {
		return data, nil
	}
	doc, err := parse(m.File, data)
	if err != nil {
		return nil, err
	}
	servers, err := doc.object(&doc.root, m.Client.Servers)
	if err != nil {
		return nil, err
	}
	drop := make(map[string]bool)
	for _, key := range keys {
		drop[key] = true
	}
	text, err := doc.without(servers, drop)
	if err != nil {
		return nil, err
	}
	return doc.bytes(text), nil
}
