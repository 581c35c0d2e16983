package servers

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Draft describes a server to register.
type Draft struct {
	Name           string
	Description    string
	Transport      Transport
	Connection     Connection
	AutoConnect    bool
	HealthCheckURL string
}

// Change describes a change of a record. Fields that are nil stay as they are.
type Change struct {
	Name           *string
	Description    *string
	Transport      *Transport
	Connection     *Connection
	AutoConnect    *bool
	HealthCheckURL *string
}

// Problem is one error in a Draft or a Change.
type Problem struct {
	Pointer string // a JSON pointer (RFC 6901) into the request's body
	Message string // what is wrong, and how to fix it
}

// Problems are all errors in a Draft or a Change.
type Problems []Problem //nolint:errname // a list

func (p Problems) Error() string {
	var lines []string
	for _, problem := range p {
		lines = append(lines, problem.Pointer+": "+problem.Message)
	}
	return strings.Join(lines, "\n")
}

// The maximum lengths of texts, in characters.
const (
	MaxName        = 64
	MaxDescription = 4096
)

// namePattern matches the name of a server. It has no dot, so that server.tool is
// unambiguous.
var namePattern = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// IsName reports whether a server may have that name.
func IsName(text string) bool { return len(text) <= MaxName && namePattern.MatchString(text) }

// Validate returns all problems of the draft. Their pointers refer to the body of POST
// /aggregator/servers.
func (d Draft) Validate() Problems {
	var p validator
	p.checkName(d.Name)
	p.checkDescription(d.Description)
	if p.checkTransport(d.Transport) {
		p.checkConnection(d.Transport, d.Connection)
	}
	p.checkHealthURL(d.HealthCheckURL)
	return p.problems
}

// Validate returns all problems of changing current. Their pointers refer to the body of
// PATCH /aggregator/servers/{id}. A new transport that the connection does not fit is a
// problem.
func (c Change) Validate(current Server) Problems {
	var p validator
	if c.Name != nil {
		p.checkName(*c.Name)
	}
	if c.Description != nil {
		p.checkDescription(*c.Description)
	}
	p.checkTarget(c, current)
	if c.HealthCheckURL != nil {
		p.checkHealthURL(*c.HealthCheckURL)
	}
	return p.problems
}

// validator collects problems.
type validator struct{ problems Problems }

// checkTarget checks the transport and the connection that the server will have.
func (p *validator) checkTarget(c Change, current Server) {
	transport := current.Transport
	if c.Transport != nil {
		transport = *c.Transport
		if !p.checkTransport(transport) {
			return
		}
	}
	if c.Connection != nil {
		p.checkConnection(transport, *c.Connection)
		return
	}
	var v validator
	if v.checkConnection(transport, current.Connection); transport != current.Transport && v.problems != nil {
		p.addProblem("/connection_config", "is missing: the one that the server has is not for %s", transport)
	}
}

func (p *validator) addProblem(pointer, format string, args ...any) {
	p.problems = append(p.problems, Problem{Pointer: pointer, Message: fmt.Sprintf(format, args...)})
}

func (p *validator) checkName(text string) {
	switch {
	case text == "":
		p.addProblem("/name", "is missing: give the server a name")
	case len(text) > MaxName:
		p.addProblem("/name", "is too long: use at most %d characters", MaxName)
	case !namePattern.MatchString(text):
		p.addProblem("/name", "may have letters, digits, _ and - only, so that server.tool has one reading")
	}
}

func (p *validator) checkDescription(text string) {
	switch {
	case utf8.RuneCountInString(text) > MaxDescription:
		p.addProblem("/description", "is too long: use at most %d characters", MaxDescription)
	case strings.ContainsRune(text, 0):
		p.addProblem("/description", "holds a NUL character: leave it out")
	}
}

func (p *validator) checkTransport(t Transport) (known bool) {
	switch t {
	case Stdio, SSE, HTTP:
		return true
	case "":
		p.addProblem("/transport_type", "is missing: use %s, %s or %s", Stdio, SSE, HTTP)
	default:
		p.addProblem("/transport_type", "is unknown: use %s, %s or %s", Stdio, SSE, HTTP)
	}
	return false
}

func (p *validator) checkHealthURL(text string) {
	if text != "" {
		p.checkURL("/health_check_url", text)
	}
}
