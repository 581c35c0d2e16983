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

// Drafts are the servers of the files of o.
func Drafts(o Options) ([]servers.Draft, error) { return readDrafts(o, newLogger(o)) }

// DatabaseOf is DefaultDatabase on a system; the paths are this system's.
var DatabaseOf = databaseOf

// LegalNames are the names of servers with those keys in one file, but for the second
// of a key, which is in another.
func LegalNames(texts []string) []string {
	var keys []key
	seen := make(map[string]bool)
	for _, text := range texts {
		k := key{"one", text}
		if seen[text] {
			k.file = "two"
		}
		seen[text] = true
		keys = append(keys, k)
	}
	return legalNames(keys)
}
