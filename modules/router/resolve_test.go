package router_test

import (
	"errors"
	"testing"
	"testing/synctest"

	"mcp-aggregator/modules/registry"
	"mcp-aggregator/modules/router"
	"mcp-aggregator/modules/servers"
)

func TestAToolIsFoundByItsNames(t *testing.T) {
	claude, plain := registry.Dotted.NamingFor("claude-ai"), registry.Dotted.NamingFor("somebody")
	for name, test := range map[string]struct {
		query  router.Query
		server string
		tool   string // raw original name
	}{
		"namespaced": {router.Query{Name: "a.only"}, "a", `"only"`},
		"namespaced, with a dot in the tool's name":   {router.Query{Name: "b.x.y"}, "b", `"x.y"`},
		"namespaced, by a client":                     {router.Query{Name: "a.only", Naming: plain}, "a", `"only"`},
		"by the alias of a client":                    {router.Query{Name: "a__only", Naming: claude}, "a", `"only"`},
		"namespaced, by a client that has aliases":    {router.Query{Name: "a.only", Naming: claude}, "a", `"only"`},
		"by its original name":                        {router.Query{Name: "only"}, "a", `"only"`},
		"by its original name and its server":         {router.Query{Name: "both", Server: "id-b"}, "b", `"both"`},
		"namespaced and by its server":                {router.Query{Name: "b.both", Server: "id-b"}, "b", `"both"`},
		"by an original name that looks namespaced":   {router.Query{Name: "a.only", Server: "id-b"}, "b", `"a.\u006fnly"`},
		"by an original name that repeats the server": {router.Query{Name: "b.b", Server: "id-b"}, "b", `"b.b"`},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHarness("a", "b")
				a := h.connect("a", named("only", `{}`), named("both", `{}`))
				b := h.connect("b", named("both", `{}`), named("x.y", `{}`), `{"name":"a.\u006fnly"}`, named("b.b", `{}`))
				done := h.callAsync(t.Context(), test.query, nil, request)
				synctest.Wait()
				s := map[string]*session{"a": a, "b": b}[test.server]
				if got := s.call(t, 0); got.tool != test.tool || got.request != request {
					t.Errorf("%+v", got)
				}
				s.reply(t, 0, result)
				o := <-done
				if o.err != nil || o.answer.Server != test.server || string(o.answer.Response.Line) != result {
					t.Errorf("%+v", o)
				}
			})
		})
	}
}

func TestAToolThatIsNotThereIsNotFound(t *testing.T) {
	plain := registry.Dotted.NamingFor("somebody")
	onlyB := plain.WithFilter(registry.Filter{Servers: []string{"b"}})
	withoutOff := registry.Dotted.NamingFor("claude-ai").WithFilter(registry.Filter{Deny: []string{"off.*", "a.both"}})
	h := newHarness("a", "b", "off")
	h.connect("a", named("both", `{}`))
	h.connect("b", named("both", `{}`))
	h.setStatus("off", servers.Errored, "it crashed")
	for name, test := range map[string]struct {
		query router.Query
		want  string
	}{
		"that no server has":                                            {router.Query{Name: "none"}, `unknown tool "none"`},
		"that its server does not have":                                 {router.Query{Name: "a.none"}, `unknown tool "a.none"`},
		"whose name is nearly right":                                    {router.Query{Name: "a.boht"}, `unknown tool "a.boht"; nearest: a.both, b.both`},
		"whose server is nearly right":                                  {router.Query{Name: "aa.both"}, `unknown tool "aa.both"; nearest: a.both, b.both`},
		"of a server that is not there":                                 {router.Query{Name: "weather.forecast"}, `unknown tool "weather.forecast"; there is no such server`},
		"of a server that is not there, by a client":                    {router.Query{Name: "weather__forecast", Naming: registry.Dotted.NamingFor("claude-ai")}, `unknown tool "weather__forecast"; there is no such server`},
		"whose name is nearly right, by a client with names of its own": {router.Query{Name: "a_both", Naming: registry.Dotted.NamingFor("claude-ai")}, `unknown tool "a_both"; nearest: a__both, b__both`},
		"whose name is nearly right, of that server":                    {router.Query{Name: "bot", Server: "id-a"}, `unknown tool "bot"; nearest: a.both`},
		"that the server of that id does not have":                      {router.Query{Name: "none", Server: "id-a"}, `unknown tool "none"`},
		"of a server that is unknown":                                   {router.Query{Name: "both", Server: "nobody"}, `no server with that id`},
		"that several have":                                             {router.Query{Name: "both"}, `"both" is a tool of several servers: call one of a.both, b.both`},
		"that a client calls by its original name":                      {router.Query{Name: "both", Naming: plain}, `unknown tool "both"; nearest: a.both, b.both`},
		"by the alias of another client":                                {router.Query{Name: "a__both", Naming: plain}, `unknown tool "a__both"; nearest: a.both, b.both`},
		"of a server that is away":                                      {router.Query{Name: "off.x"}, `server "off" is not connected: its status is ERROR: it crashed`},
		"of a server that is away, by its id":                           {router.Query{Name: "x", Server: "id-off"}, `server "off" is not connected: its status is ERROR: it crashed`},
		"of a server that is away, by a client":                         {router.Query{Name: "off.x", Naming: plain}, `server "off" is not connected: its status is ERROR: it crashed`},
		"of a server that is away, by a client alias":                   {router.Query{Name: "off__x", Naming: registry.Dotted.NamingFor("claude-ai")}, `server "off" is not connected: its status is ERROR: it crashed`},
		"that a filter of servers hides":                                {router.Query{Name: "a.both", Naming: onlyB}, `unknown tool "a.both"; nearest: b.both`},
		"that no server has, behind a filter":                           {router.Query{Name: "weather.forecast", Naming: onlyB}, `unknown tool "weather.forecast"`},
		"of a server that is away and hidden":                           {router.Query{Name: "off.x", Naming: onlyB}, `unknown tool "off.x"`},
		"that a filter of names hides, by an alias":                     {router.Query{Name: "a__both", Naming: withoutOff}, `unknown tool "a__both"; nearest: b__both`},
		"of a server that is away, all of whose names are hidden":       {router.Query{Name: "off__x", Naming: withoutOff}, `unknown tool "off__x"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := h.Call(t.Context(), router.Call{Query: test.query, Request: message(request)})
			if err == nil || err.Error() != test.want {
				t.Errorf("%v", err)
			}
		})
	}
	_, err := h.Call(t.Context(), router.Call{Query: router.Query{Name: "both"}, Request: message(request)})
	if e, ok := errors.AsType[*servers.AmbiguousError](err); !ok || len(e.Candidates) != 2 {
		t.Errorf("%#v", err)
	}
}
