package clients

import (
	"fmt"

	"mcp-aggregator/config"
)

// Migration moves the servers of a client's file to an mcpServers file.
type Migration struct {
	System System
	Client Client
	File   string // the client's, for messages
	Folder string // of the project whose file it is; "" otherwise
	Self   string // path of this program
	Key    string // of its entry, which stays without a message
	Ours   string // the mcpServers file
	Env    config.Env
}

// MigrationResult has both files after a [Migration].
type MigrationResult struct {
	Client, Ours []byte
	Keys         []string // of the servers that moved to Ours
	LeftOut      []Line   // servers that stay with the client
	Notes        []Line
}

// Move moves the servers of the client's file, data, to ours, which is nil if the file
// does not exist yet. Servers that cannot be imported stay. Errors are [config.Error] or
// [config.Errors].
func (m Migration) Move(data, ours []byte) (MigrationResult, error) {
	if m.File == m.Ours { // the moved servers would be removed
		return MigrationResult{}, &config.Error{
			Code: config.InvalidSchema, File: m.File,
			Message: "file is the client's own; move its servers to another one",
		}
	}
	if ours == nil {
		ours = []byte("{\n  \"mcpServers\": {}\n}\n")
	}
	found := Collection{System: System{GOOS: m.System.GOOS, Lookup: m.Env.Lookup}, Self: m.Self}
	if err := found.Add(m.Client, m.Folder, m.File, data); err != nil {
		return MigrationResult{}, err
	}
	moved := MigrationResult{Client: data, Ours: ours}
	for _, line := range found.LeftOut {
		if line.Path != jsonPath(m.Client.Servers, m.Key) {
			moved.LeftOut = append(moved.LeftOut, line)
		}
	}
	added, err := m.chooseServers(found.Servers, &moved)
	if err != nil {
		return MigrationResult{}, err
	}
	if moved.Ours, err = addServers(m.Ours, ours, added); err != nil {
		return MigrationResult{}, err
	}
	moved.Client, err = m.removeServers(data, moved.Keys)
	return moved, err
}

// chooseServers decides which servers move, and returns those to add to our file.
func (m Migration) chooseServers(servers []Server, moved *MigrationResult) (added []field, err error) {
	file, err := readConfig(m.Ours, moved.Ours)
	if err != nil {
		return nil, err
	}
	present := make(map[string]config.Entry)
	for _, entry := range file.Servers {
		present[entry.Key] = entry
	}
	for _, server := range servers {
		entry, taken := present[server.Key]
		if why := m.reasonToStay(server, entry, taken); why != "" {
			moved.LeftOut = append(moved.LeftOut, Line{m.File, jsonPath(m.Client.Servers, server.Key), why})
			continue
		}
		moved.Keys = append(moved.Keys, server.Key)
		for _, text := range server.notes {
			moved.Notes = append(moved.Notes, Line{m.File, jsonPath(m.Client.Servers, server.Key), text})
		}
		if !taken {
			added = append(added, field{server.Key, entryFields(server.Entry)})
		}
	}
	return added, nil
}

// reasonToStay returns why a server stays with the client, "" if it moves. entry is the
// server with that key in our file, if taken is set.
func (m Migration) reasonToStay(server Server, entry config.Entry, taken bool) string {
	for _, need := range Unset([]Server{server}, m.Env) {
		if need.Why != "" {
			continue // the client keeps prompting for it
		}
		return fmt.Sprintf("environment variable %q is not set; set it and install again", need.Name)
	}
	if taken && (entry.Disabled || !server.startsAlike(Server{Entry: entry})) {
		return m.Ours + " has another server with this key; rename one of them"
	}
	return ""
}

// readConfig is like [config.Read], but returns the problems of the file as an error.
func readConfig(name string, data []byte) (*config.File, error) {
	file, err := config.Read(config.Path(name), data)
	if err == nil && len(file.Problems) > 0 {
		err = file.Problems
	}
	return file, err
}

func addServers(name string, data []byte, added []field) ([]byte, error) {
	if len(added) == 0 {
		return data, nil
	}
	doc, err := parse(name, data)
	if err != nil {
		return nil, err
	}
	root, err := doc.findMember(&doc.root, "mcpServers")
	if err != nil || root == nil {
		return nil, err // root is not nil: a file that was read has the member
	}
	text := doc.withBOM(applySplices(doc.text, doc.insertMembers(&root.Value, indentOf(root.Name.BeforeExtra), added)))
	_, err = readConfig(name, text)
	return text, err
}

func (m Migration) removeServers(data []byte, keys []string) ([]byte, error) {
	if len(keys) == 0 {
		return data, nil
	}
	doc, err := parse(m.File, data)
	if err != nil {
		return nil, err
	}
	servers, err := doc.findObject(&doc.root, m.Client.Servers)
	if err != nil {
		return nil, err
	}
	drop := make(map[string]bool)
	for _, key := range keys {
		drop[key] = true
	}
	text, err := doc.removeMembers(servers, drop)
	if err != nil {
		return nil, err
	}
	return doc.withBOM(text), nil
}
