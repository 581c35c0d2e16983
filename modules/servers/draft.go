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

// name is what a server may be called: without a dot, so that server.tool has one
// reading.
var name = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// Check returns everything that is wrong with the draft, nil when nothing is. The
// pointers are those of the members of POST /aggregator/servers.
func (d Draft) Check() Problems {
	var p findings
	p.name(d.Name)
	p.description(d.Description)
	if p.transport(d.Transport) {
		p.connection(d.Transport, d.Connection)
	}
	p.healthCheck(d.HealthCheckURL)
	return p.problems
}

// Check returns everything that is wrong with changing current so, nil when
// nothing is. The pointers are those of the members of PATCH
// /aggregator/servers/{id}. A transport that the connection does not fit is one.
func (c Change) Check(current Server) Problems {
	var p findings
	if c.Name != nil {
		p.name(*c.Name)
	}
	if c.Description != nil {
		p.description(*c.Description)
	}
	p.reached(c, current)
	if c.HealthCheckURL != nil {
		p.healthCheck(*c.HealthCheckURL)
	}
	return p.problems
}

// findings gathers problems.
type findings struct{ problems Problems }

// reached checks how the server will be reached.
func (p *findings) reached(c Change, current Server) {
	transport := current.Transport
	if c.Transport != nil {
		transport = *c.Transport
		if !p.transport(transport) {
			return
		}
	}
	if c.Connection != nil {
		p.connection(transport, *c.Connection)
		return
	}
	var unfit findings
	if unfit.connection(transport, current.Connection); transport != current.Transport && unfit.problems != nil {
		p.add("/connection_config", "is missing: the one that the server has is not for %s", transport)
	}
}

func (p *findings) add(pointer, format string, args ...any) {
	p.problems = append(p.problems, Problem{Pointer: pointer, Message: fmt.Sprintf(format, args...)})
}

func (p *findings) name(text string) {
	switch {
	case text == "":
		p.add("/name", "is missing: give the server a name")
	case len(text) > MaxName:
		p.add("/name", "is too long: use at most %d characters", MaxName)
	case !name.MatchString(text):
		p.add("/name", "may have letters, digits, _ and - only, so that server.tool has one reading")
	}
}

func (p *findings) description(text string) {
	switch {
	case utf8.RuneCountInString(text) > MaxDescription:
		p.add("/description", "is too long: use at most %d characters", MaxDescription)
	case strings.ContainsRune(text, 0):
		p.add("/description", "holds a NUL character: leave it out")
	}
}

func (p *findings) transport(t Transport) (known bool) {
	switch t {
	case Stdio, SSE, HTTP:
		return true
	case "":
		p.add("/transport_type", "is missing: use %s, %s or %s", Stdio, SSE, HTTP)
	default:
		p.add("/transport_type", "is unknown: use %s, %s or %s", Stdio, SSE, HTTP)
	}
	return false
}

func (p *findings) healthCheck(text string) {
	if text != "" {
		p.url("/health_check_url", text)
	}
}
