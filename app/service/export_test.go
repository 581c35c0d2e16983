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

// Address is the address that the server listens at.
func (s *server) Address() net.Addr { return s.listener.Addr() }

// Handler is the handler of its requests.
func (s *server) Handler() http.Handler { return s.http.Handler }

// Limits are the limits of the HTTP server.
type Limits = limits

// DefaultLimits returns the limits of a process that may open that many descriptors.
var DefaultLimits = defaultLimits

// Limited sets the limits of the HTTP server.
func Limited(l Limits) func(*Options) { return func(o *Options) { o.limits = l } }

// ServeHTTP serves the listener with the HTTP server, without the rest of the service,
// until end is called. Requests with X-Token have the token.
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

// Drafts returns the servers of the files of o.
func Drafts(o Options) ([]servers.Draft, error) { return readDrafts(o, newLogger(o)) }

// RESTCaller is who calls over REST from an address.
var RESTCaller = restCaller

// Announce prints or logs where a service of o listens.
var Announce = announce

// DatabaseOf is DefaultDatabase for another system, with paths in this system's form.
var DatabaseOf = databaseOf

// LegalNames returns the names of servers with those keys. The second occurrence of a key
// is in another file.
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
