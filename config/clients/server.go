package clients

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"mcp-aggregator/config"
)

// Need is a variable that a server refers to without a default.
type Need struct {
	Name string
	Why  string // what the client prompts for; "" if it does not
}

// Server is a stdio server that can be imported.
type Server struct {
	config.Entry // with texts in our own syntax

	Client string // key of the client it comes from
	File   string
	Needs  []Need
	// projectCwd is set if Cwd was added: the project's folder, in which the client
	// starts the server.
	projectCwd bool
	notes      []string
}

// startsAlike reports whether two servers are started in the same way.
func (s Server) startsAlike(other Server) bool {
	alike := s.Command == other.Command && slices.Equal(s.Args, other.Args) && sameEnv(s.Env, other.Env)
	return alike && (s.projectCwd || other.projectCwd || textOf(s.Cwd) == textOf(other.Cwd))
}

func sameEnv(a, b []config.Var) bool {
	byName := func(x, y config.Var) int { return strings.Compare(x.Name, y.Name) }
	return slices.Equal(slices.SortedFunc(slices.Values(a), byName), slices.SortedFunc(slices.Values(b), byName))
}

func textOf(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// source is the file whose servers are being read.
type source struct {
	translation

	doc    *document
	client Client
	self   string // path of this program
}

// readServer reads one member of the object of servers. The error says why it cannot be
// imported, on one line and without values.
func (s source) readServer(m hujson.ObjectMember) (Server, error) {
	if m.Value.Value.Kind() != '{' {
		return Server{}, errors.New("value is not an object")
	}
	if err := checkStdio(&m.Value); err != nil {
		return Server{}, err
	}
	entry, err := s.readEntry(m)
	if err != nil {
		return Server{}, err
	}
	if startsAggregator(entry.Command, entry.Args, s.self) {
		return Server{}, errors.New("it is this aggregator, which would call itself")
	}
	server := Server{Entry: entry, Client: s.client.Key, File: s.doc.name, notes: memberNotes(&m.Value)}
	if err := s.translateServer(&server); err != nil {
		return Server{}, err
	}
	_, err = readOne(Compose([]Server{server})) // a text may be empty after translation
	return server, err
}

// readOne loads an mcpServers file with one server.
func readOne(text []byte) (config.Entry, error) {
	file, err := config.Read("", text)
	if err != nil {
		return config.Entry{}, errors.New("text is not valid UTF-8")
	}
	for _, problem := range file.Problems {
		return config.Entry{}, errors.New(serverMessage(problem))
	}
	return file.Servers[0], nil
}

// readEntry loads a server as our own file would have it, so that the same rules apply.
func (s source) readEntry(m hujson.ObjectMember) (config.Entry, error) {
	value := m.Value.Clone()
	value.Minimize()
	text := `{"mcpServers":{` + string(m.Name.Value.(hujson.Literal)) + ":" + value.String() + "}}" //nolint:forcetypeassert // names are literals
	return readOne([]byte(text))
}

// serverMessage returns the message of a problem with its path relative to the server.
func serverMessage(problem *config.Error) string {
	_, member, _ := strings.Cut(strings.TrimPrefix(problem.Path, "mcpServers"), "].")
	if member == "" {
		_, member, _ = strings.Cut(strings.TrimPrefix(problem.Path, "mcpServers."), ".")
	}
	if member == "" {
		return problem.Message
	}
	return member + ": " + problem.Message
}

// whereOthersWork is the fix for servers with other transports, as in package config.
const whereOthersWork = "serve it with `mcp-aggregator serve --config FILE`, or write a stdio bridge such as mcp-remote in its place"

func checkStdio(server *hujson.Value) error {
	for _, m := range membersOf(server) {
		text := ""
		if literal, ok := m.Value.Value.(hujson.Literal); ok {
			text = literal.String()
		}
		switch name := nameOf(m); name {
		case "disabled":
			if text == "true" {
				return errors.New("it is disabled")
			}
		case "type", "transport", "transportType":
			if text != "stdio" && text != "null" {
				return fmt.Errorf("only stdio servers can be imported, and %q names another transport; "+whereOthersWork, name)
			}
		case "url", "serverUrl", "httpUrl":
			if text != "null" {
				return fmt.Errorf("only stdio servers can be imported, and this one has %q; "+whereOthersWork, name)
			}
		}
	}
	return nil
}

// translateServer translates the texts of a server to our own syntax.
func (s source) translateServer(server *Server) error {
	texts := []*string{&server.Command}
	for i := range server.Args {
		texts = append(texts, &server.Args[i])
	}
	for i := range server.Env {
		texts = append(texts, &server.Env[i].Value)
	}
	if err := s.resolveCwd(server); err != nil {
		return err
	}
	if server.Cwd != nil && !server.projectCwd {
		texts = append(texts, server.Cwd)
	}
	relative := isRelativePath(server.Command)
	if relative && server.Cwd == nil {
		return fmt.Errorf(`"command" is relative to the folder that %s is started in; write an absolute path`, s.client.Title)
	}
	for _, text := range texts {
		ours, needs, err := s.translateText(*text)
		if err != nil {
			return err
		}
		*text = ours
		server.Needs = append(server.Needs, needs...)
	}
	if relative { // to the folder that the server runs in
		server.Command = strings.TrimRight(*server.Cwd, `/\`) + "/" + strings.TrimPrefix(server.Command, "./")
	}
	return nil
}

// isRelativePath reports whether a command is a relative path, not a name to look up on
// the PATH.
func isRelativePath(command string) bool {
	return strings.ContainsAny(command, `/\`) && !isAbsolute(command) && !strings.HasPrefix(command, "$")
}

// resolveCwd makes the working directory independent of the folders of the client and of
// our own file.
func (s source) resolveCwd(server *Server) error {
	switch {
	case server.Cwd == nil && s.folder == "":
		return nil
	case server.Cwd == nil:
		server.projectCwd = true
		server.Cwd = new(config.Escape(s.folder))
		return nil
	case isAbsolute(*server.Cwd), strings.HasPrefix(*server.Cwd, "$"):
		return nil
	case s.folder == "":
		return fmt.Errorf(`"cwd" is relative to the folder that %s is started in; write an absolute path`, s.client.Title)
	}
	server.projectCwd = false
	joined := path.Join(strings.ReplaceAll(s.folder, `\`, "/"), *server.Cwd)
	server.Cwd = &joined
	return nil
}

// isAbsolute reports whether a path is absolute on any system, because the file may come
// from another one.
func isAbsolute(p string) bool {
	drive := len(p) > 2 && p[1] == ':' && (p[2] == '\\' || p[2] == '/')
	return drive || strings.HasPrefix(p, "/") || strings.HasPrefix(p, `\\`)
}

// handledMembers are the members without a note: they are imported, handled otherwise, or
// for people only.
var handledMembers = []string{
	"command", "args", "env", "cwd", "type", "transport", "transportType", "disabled",
	"url", "serverUrl", "httpUrl", // null, or the server would not have been read
	"name", "description", "icon", "gallery", "version", "$schema",
}

// memberEffects has the effects of losing the other members that clients are known to
// have.
var memberEffects = map[string]string{
	"envFile":        "the server does not get the variables of that file; put them into its env",
	"sandbox":        "the server runs outside the sandbox",
	"sandboxEnabled": "the server runs outside the sandbox",
	"dev":            "development mode is not imported",
	"headers":        "it is for remote servers only",
	"headersHelper":  "it is for remote servers only",
	"oauth":          "it is for remote servers only",
	"auth":           "it is for remote servers only",
	"timeout":        "calls take as long as the client allows for the aggregator",
	"trust":          "approvals are up to the client; give them there again",
	"autoApprove":    "approvals are up to the client; give them there again",
	"alwaysAllow":    "approvals are up to the client; give them there again",
	"includeTools":   "all tools of the server are offered; choose with --allow and --deny",
	"excludeTools":   "all tools of the server are offered; choose with --allow and --deny",
	"disabledTools":  "all tools of the server are offered; choose with --allow and --deny",
}

// MemberEffects returns the effect of each member of a server that clients act on and the
// aggregator does not, by name.
func MemberEffects() map[string]string { return maps.Clone(memberEffects) }

// memberNotes returns a note for each member of a server that is not imported.
func memberNotes(server *hujson.Value) (lines []string) {
	for _, m := range membersOf(server) {
		name := nameOf(m)
		if slices.Contains(handledMembers, name) {
			continue
		}
		fate, known := memberEffects[name]
		if !known {
			fate = "it is not supported, and not imported"
		}
		lines = append(lines, fmt.Sprintf("%q: %s", name, fate))
	}
	return lines
}
