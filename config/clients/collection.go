package clients

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"mcp-aggregator/config"
)

// Line is a message about one place in a client's file.
type Line struct{ File, Path, Text string }

// Collection collects the servers in the files of clients.
type Collection struct {
	System System
	Self   string // path of this program

	Servers []Server // with unique keys
	LeftOut []Line   // servers that cannot be imported, with the reasons
	Notes   []Line   // what is different for imported servers

	index map[string]int // index in Servers by key
}

// Add reads one file of client. folder is that of the project, "" for the user's file.
// The error is a [config.Error].
func (c *Collection) Add(client Client, folder, name string, data []byte) error {
	doc, err := parse(name, data)
	if err != nil {
		return err
	}
	s := c.source(doc, client, folder)
	if err := c.addServers(s, &doc.root, ""); err != nil {
		return err
	}
	project, place, err := doc.findProject(c.System.Folder)
	if project == nil || err != nil {
		return err
	}
	return c.addServers(c.source(doc, client, c.System.Folder), project, place)
}

func (c *Collection) source(doc *document, client Client, folder string) source {
	return source{
		translation: translation{
			syntax: client.Syntax, pattern: patternOf(client.Syntax), folder: folder,
			windows: c.System.GOOS == "windows", inputs: inputsOf(doc), lookup: c.System.Lookup,
		},
		doc: doc, client: client, self: c.Self,
	}
}

// findProject returns what ~/.claude.json of Claude Code has for a project's folder, and
// the prefix of its JSON path.
func (d *document) findProject(folder string) (*hujson.Value, string, error) {
	if folder == "" {
		return nil, "", nil
	}
	projects, err := d.findMember(&d.root, "projects")
	if projects == nil || err != nil || projects.Value.Value.Kind() != '{' {
		return nil, "", err
	}
	project, err := d.findMember(&projects.Value, folder)
	if project == nil || err != nil || project.Value.Value.Kind() != '{' {
		return nil, "", err
	}
	return &project.Value, jsonPath("projects", folder) + ".", nil
}

// inputsOf returns the descriptions of VS Code's inputs, by id.
func inputsOf(doc *document) map[string]string {
	descriptions := make(map[string]string)
	inputs := doc.root.Find("/inputs")
	if inputs == nil {
		return descriptions
	}
	list, ok := inputs.Value.(*hujson.Array)
	if !ok {
		return descriptions
	}
	for i := range list.Elements {
		if id := textAt(&list.Elements[i], "/id"); id != "" {
			descriptions[id] = inputDescription(&list.Elements[i])
		}
	}
	return descriptions
}

// inputDescription describes an input. It includes the default of a choice, but not that
// of a text, which may be a secret.
func inputDescription(input *hujson.Value) string {
	text := textAt(input, "/description")
	if choice := textAt(input, "/default"); choice != "" && textAt(input, "/type") == "pickString" {
		text = strings.TrimSpace(fmt.Sprintf("%s (by default %s)", text, choice))
	}
	return text
}

func textAt(v *hujson.Value, pointer string) string {
	if found := v.Find(pointer); found != nil {
		return literalText(found)
	}
	return ""
}

func literalText(v *hujson.Value) string {
	if text, ok := v.Value.(hujson.Literal); ok {
		return text.String()
	}
	return ""
}

func (c *Collection) addServers(s source, parent *hujson.Value, prefix string) error {
	servers, err := s.doc.findObject(parent, s.client.Servers)
	if servers == nil || err != nil {
		return err
	}
	prefix += s.client.Servers
	members := membersOf(servers)
	count := make(map[string]int)
	for _, m := range members {
		count[nameOf(m)]++
	}
	for _, m := range members {
		key := nameOf(m)
		if count[key] > 1 { // JSON.parse uses the last one, other parsers the first
			c.addLeftOut(s, prefix, key, errors.New("its key occurs twice; remove one of them"))
			continue
		}
		server, err := s.readServer(m)
		if s.isSwitchedOff(key) {
			err = errors.New("it is disabled")
		}
		if err != nil {
			c.addLeftOut(s, prefix, key, err)
			continue
		}
		c.addServer(server, jsonPath(prefix, key))
	}
	return nil
}

// isSwitchedOff reports whether the lists of allowed and excluded servers at the root
// switch the server off.
func (s source) isSwitchedOff(key string) bool {
	if s.client.AllowLists == "" {
		return false
	}
	allowed, isList := s.keyList("allowed")
	excluded, _ := s.keyList("excluded")
	return isList && !slices.Contains(allowed, key) || slices.Contains(excluded, key)
}

func (s source) keyList(name string) (items []string, ok bool) {
	v := s.doc.root.Find("/" + s.client.AllowLists + "/" + name)
	if v == nil {
		return nil, false
	}
	list, ok := v.Value.(*hujson.Array)
	if !ok {
		return nil, false
	}
	for i := range list.Elements {
		items = append(items, literalText(&list.Elements[i]))
	}
	return items, true
}

func (c *Collection) addLeftOut(s source, prefix, key string, why error) {
	c.LeftOut = append(c.LeftOut, Line{s.doc.name, jsonPath(prefix, key), why.Error()})
}

func (c *Collection) addServer(server Server, where string) {
	key, known := c.freeKey(server)
	if known {
		return
	}
	if key != server.Key {
		c.addNote(server, where, fmt.Sprintf("it is imported as %q because another server has its key", key))
	}
	for _, text := range server.notes {
		c.addNote(server, where, text)
	}
	server.Key = key
	if c.index == nil {
		c.index = make(map[string]int)
	}
	c.index[key] = len(c.Servers)
	c.Servers = append(c.Servers, server)
}

func (c *Collection) addNote(server Server, where, text string) {
	c.Notes = append(c.Notes, Line{server.File, where, text})
}

// freeKey returns a key for server that no other server has. known is true if an equal
// server is already in the collection with the returned key.
func (c *Collection) freeKey(server Server) (key string, known bool) {
	key = server.Key
	for n := 1; ; n++ {
		taken, ok := c.findServer(key)
		if !ok || taken.startsAlike(server) {
			return key, ok
		}
		key = server.Key + "-" + server.Client
		if n > 1 {
			key = fmt.Sprintf("%s-%d", key, n)
		}
	}
}

func (c *Collection) findServer(key string) (Server, bool) {
	i, ok := c.index[key]
	if !ok {
		return Server{}, false
	}
	return c.Servers[i], true
}

// Unset returns the variables that the servers need and that are not set in env, each
// once, with the first reason.
func Unset(servers []Server, env config.Env) (unset []Need) {
	seen := make(map[string]bool)
	for _, server := range servers {
		for _, need := range server.Needs {
			if _, set := env.Lookup(need.Name); !set && !seen[need.Name] {
				seen[need.Name] = true
				unset = append(unset, need)
			}
		}
	}
	return unset
}

// jsonPath returns the JSON path of a member, in the form that package config uses.
func jsonPath(parent, member string) string {
	if member != "" && strings.Trim(member, letters+digits+"_-") == "" {
		return strings.Join([]string{parent, member}, ".")
	}
	return fmt.Sprintf("%s[%q]", parent, member)
}
