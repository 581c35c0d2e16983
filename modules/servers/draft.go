package servers

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Draft is a server to register.
type Draft struct {
	Name           string
	Description    string
	Transport      Transport
	Connection     Connection
	AutoConnect    bool
	HealthCheckURL string
}

// Change is what to change of a record; what is nil stays.
type Change struct {
	Name           *string
	Description    *string
	Transport      *Transport
	Connection     *Connection
	AutoConnect    *bool
	HealthCheckURL *string
}

// Problem is one thing that is wrong with a Draft or a Change.
type Problem struct {
	Pointer string // where, as a JSON pointer (RFC 6901) into the request's body
	Message string // what, and how to fix it
}

// Problems is everything that is wrong with a Draft or a Change.
type Problems []Problem //nolint:errname // a list, which is an error only when it is not empty

func (p Problems) Error() string {
	var lines []string
	for _, problem := range p {
		lines = append(lines, problem.Pointer+": "+problem.Message)
	}
	return strings.Join(lines, "\n")
}

// The bounds of what people write about a server, in characters.
const (
	MaxName        = 64
	MaxDescription = 4096
)

// namePattern is what a server may be called: without a dot, so that server.tool has one
// reading.
var namePattern = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// Validate returns everything that is wrong with the draft, nil when nothing is. The
// pointers are those of the members of POST /aggregator/servers.
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

// Validate returns everything that is wrong with changing current so, nil when
// nothing is. The pointers are those of the members of PATCH
// /aggregator/servers/{id}. A transport that the connection does not fit is one.
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

// validator gathers problems.
type validator struct{ problems Problems }

// checkTarget checks how the server will be reached.
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
	var unfit validator
	if unfit.checkConnection(transport, current.Connection); transport != current.Transport && unfit.problems != nil {
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
