package service

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"strings"

	"mcp-aggregator/app/cli"
	"mcp-aggregator/config"
)

// program is the prefix of lines that do not begin with the place in a file.
const program = "mcp-aggregator: "

// report prints or logs what went wrong, if anything, and returns the exit code.
func report(o Options, err error) int {
	if err == nil {
		return cli.ExitOK
	}
	lines, code := problems(err)
	for _, line := range lines {
		if o.LogFormat == jsonFormat {
			newLogger(o).Error(strings.TrimPrefix(line, program)) //nolint:sloglint // the message is the error
			continue
		}
		fmt.Fprintln(o.Stderr, line)
	}
	return code
}

// problems returns the problems of an error, one a line, and the exit code.
func problems(err error) (lines []string, code int) {
	if mistakes, ok := errors.AsType[config.Errors](err); ok {
		return strings.Split(mistakes.Error(), "\n"), cli.ExitConfig
	}
	text, code := root(err).Error(), cli.ExitFailed
	if mistake, ok := errors.AsType[*configError](err); ok {
		text, code = mistake.Error(), cli.ExitConfig
	}
	for line := range strings.SplitSeq(text, "\n") {
		lines = append(lines, program+line)
	}
	return lines, code
}

// announce prints or logs where the service listens and which database it uses.
func announce(o Options, at net.Addr) {
	address, database := "http://"+addressOf(o.Listen, at), databaseName(o.Database)
	if o.LogFormat == jsonFormat {
		newLogger(o).Info("listening", slog.String("address", address), slog.String("database", database))
		return
	}
	fmt.Fprintf(o.Stderr, program+"listening at %s: REST under /api/v1 (page: /api/v1/docs), MCP at /mcp; database: %s\n", address, database)
}

// addressOf returns the given host with the actual port: a listener at 0.0.0.0 calls
// itself [::].
func addressOf(given string, at net.Addr) string {
	host, _, err := net.SplitHostPort(given)
	_, port, atErr := net.SplitHostPort(at.String())
	if err != nil || atErr != nil || host == "" {
		return at.String()
	}
	return net.JoinHostPort(host, port)
}

// databaseName returns the database without the password, which may also be among the
// parameters.
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

// jsonFormat is the LogFormat with a JSON object on every line of standard error.
const jsonFormat = "json"

// newLogger returns the service's logger: of level info, or debug if o says so.
func newLogger(o Options) *slog.Logger {
	options := &slog.HandlerOptions{Level: slog.LevelInfo}
	if o.Debug {
		options.Level = slog.LevelDebug
	}
	if o.LogFormat == jsonFormat {
		return slog.New(slog.NewJSONHandler(o.Stderr, options))
	}
	return slog.New(slog.NewTextHandler(o.Stderr, options))
}
