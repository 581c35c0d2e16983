package service

import "net"

// Server is the HTTP server of a Service.
type Server = server

// Address is where it listens.
func (s *server) Address() net.Addr { return s.listener.Addr() }
