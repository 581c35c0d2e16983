package service

import (
	"context"
	"log/slog"
	"net"
	"net/http"

	"mcp-aggregator/modules/servers"
)

// Server is the HTTP server of the service.
type Server = server

// Address is where it listens.
func (s *server) Address() net.Addr { return s.listener.Addr() }

// Handler is what handles its requests.
func (s *server) Handler() http.Handler { return s.http.Handler }

// Limits are those of the HTTP server.
type Limits = limits

// DefaultLimits are those of a process that may have so many descriptors.
var DefaultLimits = defaultLimits

// Limited has the HTTP server keep to limits.
func Limited(l Limits) func(*Options) { return func(o *Options) { o.limits = l } }

// ServeHTTP has the HTTP server, without the rest of the service, answer what comes in at
// the listener, until end is called. Requests with X-Token have the token.
func ServeHTTP(bound net.Listener, l Limits, handler http.HandlerFunc) (end func()) {
	passes := func(r *http.Request) bool { return r.Header.Get("X-Token") != "" }
	s := &server{
		listener: &listener{Listener: bound}, limits: l, open: newConnTable(l), failed: make(chan error, 1),
		http: newHTTPServer(l, passes, handler, slog.New(slog.DiscardHandler)),
	}
	_ = s.start(context.Background())
	return func() {
		_ = s.http.Close()
		s.open.close()
		s.work.Wait()
	}
}

// Drafts are the servers of the files of o.
func Drafts(o Options) ([]servers.Draft, error) { return readDrafts(o, newLogger(o)) }

// Announce says where a service of o listens.
var Announce = announce

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
