package clients

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"mcp-aggregator/config"
)

// Line is something to tell about one place in a client's file.
type Line struct{ File, Path, Text string }

// Collection is what was found in the files of clients.
type Collection struct {
	System System
	Self   string // path of this program

	Servers []Server // their keys are unique
	LeftOut []Line   // servers, and why
	Notes   []Line   // what is different for those that are taken over

	index map[string]int // of Servers, by key
}

// Add reads one file of client. folder is the project's, "" for a file of the
// user's own. The error is a [config.Error].
func (c *Collection) Add(client Client, folder, name string, data []byte) error {
	doc, err := parse(name, data)
	if err != nil {
		return err
	}
	s := c.source(doc, client, folder)
	if err := c.addServers(s, &doc.root, ""); err != nil {
		return err
	}
	project, place, err := doc.project(c.System.Folder)
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

// project is what ~/.claude.json of Claude Code keeps for the current folder.
func (d *document) project(folder string) (*hujson.Value, string, error) {
	if folder == "" {
		return nil, "", nil
	}
	projects, err := d.find(&d.root, "projects")
	if projects == nil || err != nil || projects.Value.Value.Kind() != '{' {
		return nil, "", err
	}
	project, err := d.find(&projects.Value, folder)
	if project == nil || err != nil || project.Value.Value.Kind() != '{' {
		return nil, "", err
	}
	return &project.Value, place("projects", folder) + ".", nil
}

// inputsOf returns what VS Code says when it asks, by the id of the input.
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
		if id := literalAt(&list.Elements[i], "/id"); id != "" {
			descriptions[id] = describe(&list.Elements[i])
		}
	}
	return descriptions
}

// describe tells the default of a choice; that of a text may be a secret.
func describe(input *hujson.Value) string {
	text := literalAt(input, "/description")
	if choice := literalAt(input, "/default"); choice != "" && literalAt(input, "/type") == "pickString" {
		text = strings.TrimSpace(fmt.Sprintf("%s (by default %s)", text, choice))
	}
	return text
}

func literalAt(v *hujson.Value, pointer string) string {
	if found := v.Find(pointer); found != nil {
		return literal(found)
	}
	return ""
}

func literal(v *hujson.Value) string {
	if text, ok := v.Value.(hujson.Literal); ok {
		return text.String()
	}
	return ""
}

func (c *Collection) addServers(s source, parent *hujson.Value, prefix string) error {
	servers, err := s.doc.object(parent, s.client.Servers)
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
		if count[key] > 1 { // JSON.parse takes the last, other readers the first
			c.leaveOut(s, prefix, key, errors.New("its key stands twice; remove one of them"))
			continue
		}
		server, err := s.server(m)
		if s.switchedOff(key) {
			err = errors.New("it is disabled")
		}
		if err != nil {
			c.leaveOut(s, prefix, key, err)
			continue
		}
		c.take(server, place(prefix, key))
	}
	return nil
}

// switchedOff reports whether a list at the root says that the server does not
// run.
func (s source) switchedOff(key string) bool {
	if s.client.Switches == "" {
		return false
	}
	allowed, isList := s.list("allowed")
	excluded, _ := s.list("excluded")
	return isList && !slices.Contains(allowed, key) || slices.Contains(excluded, key)
}

func (s source) list(name string) (items []string, ok bool) {
	v := s.doc.root.Find("/" + s.client.Switches + "/" + name)
	if v == nil {
		return nil, false
	}
	list, ok := v.Value.(*hujson.Array)
	if !ok {
		return nil, false
	}
	for i := range list.Elements {
		items = append(items, literal(&list.Elements[i]))
	}
	return items, true
}

func (c *Collection) leaveOut(s source, prefix, key string, why error) {
	c.LeftOut = append(c.LeftOut, Line{s.doc.name, place(prefix, key), why.Error()})
}

func (c *Collection) take(server Server, where string) {
	key, known := c.free(server)
	if known {
		return
	}
	if key != server.Key {
		c.note(server, where, fmt.Sprintf("it is taken over as %q: another server has its key", key))
	}
	for _, text := range server.notes {
		c.note(server, where, text)
	}
	server.Key = key
	if c.index == nil {
		c.index = make(map[string]int)
	}
	c.index[key] = len(c.Servers)
	c.Servers = append(c.Servers, server)
}

func (c *Collection) note(server Server, where, text string) {
	c.Notes = append(c.Notes, Line{server.File, where, text})
}

// free returns a key that no other server has; known if the same server is
// there already under one of those that it could get.
func (c *Collection) free(server Server) (key string, known bool) {
	key = server.Key
	for n := 1; ; n++ {
		taken, ok := c.find(key)
		if !ok || taken.same(server) {
			return key, ok
		}
		key = server.Key + "-" + server.Client
		if n > 1 {
			key = fmt.Sprintf("%s-%d", key, n)
		}
	}
}

func (c *Collection) find(key string) (Server, bool) {
	i, ok := c.index[key]
	if !ok {
		return Server{}, false
	}
	return c.Servers[i], true
}

// Unset returns the variables that the servers need and env does not have,
// each once, and for each the first reason.
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

// place is the JSON path of a member, as config writes it.
func place(parent, member string) string {
	if member != "" && strings.Trim(member, letters+digits+"_-") == "" {
		return strings.Join([]string{parent, member}, ".")
	}
	return fmt.Sprintf("%s[%q]", parent, member)
}
