package service

import (
	"net"
	"net/http"
)

// Server is the HTTP server of a Service.
type Server = server

// Address is where it listens.
func (s *server) Address() net.Addr { return s.listener.Addr() }

// Handler is what handles its requests.
func (s *server) Handler() http.Handler { return s.http.Handler }
