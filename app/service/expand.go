package service

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"mcp-aggregator/config"
	"mcp-aggregator/modules/servers"
	"mcp-aggregator/modules/sessions"
)

// expander expands the variables of records with the service's environment.
type expander struct{ texts *config.Expander }

// Expand implements sessions.Expander.
func (e expander) Expand(s servers.Server) (sessions.Target, error) {
	x := expansion{texts: e.texts}
	c := s.Connection
	s.Connection = servers.Connection{
		Command: x.text("command", c.Command), Cwd: x.text("cwd", c.Cwd), URL: x.text("url", c.URL),
		Env: x.values("env", c.Env), Headers: x.values("headers", c.Headers),
	}
	for i, arg := range c.Args {
		s.Connection.Args = append(s.Connection.Args, x.text(fmt.Sprintf("args[%d]", i), arg))
	}
	if len(x.problems) > 0 {
		return sessions.Target{}, errors.New(strings.Join(x.problems, "; "))
	}
	return sessions.Target{Server: s, Secrets: s.Secrets(x.inserted...)}, nil
}

// expansion expands one record and collects the values it inserts and the problems.
type expansion struct {
	texts    *config.Expander
	inserted []string // the values of variables
	problems []string
}

func (x *expansion) text(place, text string) string {
	out := x.texts.Text(text)
	x.inserted = append(x.inserted, out.Values...)
	for _, name := range out.Missing {
		x.problems = append(x.problems, fmt.Sprintf(
			"connection_config.%s: environment variable %q is not set; set it where the service runs", place, name))
	}
	return out.Text
}

func (x *expansion) values(place string, values map[string]string) map[string]string {
	out := make(map[string]string, len(values))
	for _, name := range slices.Sorted(maps.Keys(values)) {
		out[name] = x.text(place+"."+name, values[name])
	}
	return out
}
