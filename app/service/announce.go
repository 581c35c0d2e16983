package service

import (
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"strings"
)

// announce says where the service listens, and which database it uses.
func announce(o Options, at net.Addr) {
	address, database := "http://"+addressOf(o.Listen, at), databaseName(o.Database)
	if o.LogFormat == jsonFormat {
		newLogger(o).Info("listening", slog.String("address", address), slog.String("database", database))
		return
	}
	fmt.Fprintf(o.Stderr, program+"listening at %s: REST under /api/v1 (page: /api/v1/docs), MCP at /mcp; database: %s\n", address, database)
}

// addressOf is the host as it was given, with the port that there is: a listener at
// 0.0.0.0 calls itself [::].
func addressOf(given string, at net.Addr) string {
	host, _, err := net.SplitHostPort(given)
	_, port, atErr := net.SplitHostPort(at.String())
	if err != nil || atErr != nil || host == "" {
		return at.String()
	}
	return net.JoinHostPort(host, port)
}

// databaseName is the database without its password, which parameters may hold, too.
func databaseName(database string) string {
	if !strings.HasPrefix(database, "postgres://") && !strings.HasPrefix(database, "postgresql://") {
		return database
	}
	u, err := url.Parse(database)
	if err != nil {
		return "PostgreSQL"
	}
	name := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}
	if user := u.User.Username(); user != "" {
		name.User = url.User(user)
	}
	return name.String()
}
