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
	for _, server := range found.Servers {
		if why, err := m.one(server, &moved); err != nil {
			return Moved{}, err
		} else if why != "" {
			moved.LeftOut = append(moved.LeftOut, Line{m.File, place(m.Client.Servers, server.Key), why})
			continue
		}
		moved.Keys = append(moved.Keys, server.Key)
		for _, text := range server.notes {
			moved.Notes = append(moved.Notes, Line{m.File, place(m.Client.Servers, server.Key), text})
		}
	}
	return moved, nil
}

// one carries a server over, or says why not.
func (m Moving) one(server Server, moved *Moved) (why string, err error) {
	for _, need := range Unset([]Server{server}, m.Env) {
		return fmt.Sprintf("environment variable %q is not set; set it and install again", need.Name), nil
	}
	file, err := config.Read(config.Path(m.Ours), moved.Ours)
	if err != nil {
		return "", err
	}
	if len(file.Problems) > 0 {
		return "", file.Problems
	}
	present := false
	for _, entry := range file.Servers {
		if entry.Key != server.Key {
			continue
		}
		if present = server.same(Server{Entry: entry}) && !entry.Disabled; !present {
			return fmt.Sprintf("%s has another server with this key; rename one of them", m.Ours), nil
		}
	}
	if !present {
		if moved.Ours, err = add(m.Ours, moved.Ours, server.Entry); err != nil {
			return "", err
		}
	}
	moved.Client, err = m.remove(moved.Client, server.Key)
	return "", err
}

func add(name string, data []byte, entry config.Entry) ([]byte, error) {
	doc, err := parse(name, data)
	if err != nil {
		return nil, err
	}
	root, err := doc.find(&doc.root, "mcpServers")
	if err != nil || root == nil {
		return nil, err // a file that was read has the member
	}
	text := apply(doc.text, doc.insertion(&root.Value, indentOf(root.Name.BeforeExtra), entry.Key,
		func(s style, indent string) []byte { return s.render(fields(entry), indent) }))
	edited, err := config.Read(config.Path(name), doc.bytes(text))
	if err != nil {
		return nil, err
	}
	if len(edited.Problems) > 0 {
		return nil, edited.Problems
	}
	return doc.bytes(text), nil
}

func (m Moving) remove(data []byte, key string) ([]byte, error) {
	doc, err := parse(m.File, data)
	if err != nil {
		return nil, err
	}
	servers, err := doc.object(&doc.root, m.Client.Servers)
	if err != nil {
		return nil, err
	}
	text, err := doc.without(servers, key)
	if err != nil {
		return nil, err
	}
	return doc.bytes(text), nil
}
