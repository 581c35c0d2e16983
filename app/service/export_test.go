package service

import (
	"net"
	"net/http"

	"mcp-aggregator/modules/servers"
)

// Server is the HTTP server of a Service.
type Server = server

// Address is where it listens.
func (s *server) Address() net.Addr { return s.listener.Addr() }

// Handler is what handles its requests.
func (s *server) Handler() http.Handler { return s.http.Handler }

// LegalName is the name that a key of a file gets.
var LegalName = legalName

// Drafts are the servers of the files of o.
func Drafts(o Options) ([]servers.Draft, error) { return readDrafts(o, newLogger(o)) }

// DatabaseOf is DefaultDatabase on a system; the paths are this system's.
var DatabaseOf = databaseOf
