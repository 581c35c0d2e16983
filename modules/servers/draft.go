package servers

import "strings"

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
