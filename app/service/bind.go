package service

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"time"

	"go.uber.org/fx"

	"mcp-aggregator/app/toolsearch"
	"mcp-aggregator/config"
	"mcp-aggregator/modules/catalog"
	"mcp-aggregator/modules/child"
	"mcp-aggregator/modules/gateway"
	"mcp-aggregator/modules/profiles"
	"mcp-aggregator/modules/registry"
	"mcp-aggregator/modules/remote"
	"mcp-aggregator/modules/rest"
	"mcp-aggregator/modules/router"
	"mcp-aggregator/modules/servers"
	"mcp-aggregator/modules/sessions"
	"mcp-aggregator/modules/wire"
)

// bindings connect modules that do not import each other: each function adapts what one
// module provides to the interface that another declares.
func bindings() fx.Option {
	return fx.Provide(
		func(s servers.Store) (servers.Records, servers.ToolStore) { return s, s },
		func(r *servers.ServerRegistry) (catalog.ServerWatcher, router.ServerLookup, gateway.ServerLister) {
			return r, r, r
		},
		func(r *servers.ServerRegistry, m *sessions.SessionManager) toolsearch.ServerDescriber {
			return describer{r, m}
		},
		func(c *toolsearch.Catalogues) gateway.Catalogues { return catalogues{c} },
		func(r *profiles.ProfileRegistry) gateway.Profiles { return endpoints{r} },
		sessionDeps,
		func(m *sessions.SessionManager) router.SessionStates { return m },
		newCaller,
		func(a *catalog.ToolAggregator, r *router.RequestRouter, c gateway.Caller) rest.Tools {
			return tools{a, r, c}
		},
		func(s *toolsearch.Searcher) rest.Search { return restSearch{s} },
		restDeps,
		dialers,
	)
}

func sessionDeps(
	r *servers.ServerRegistry, a *catalog.ToolAggregator, requests *router.ServerRequestsFactory, c servers.Cluster, env config.Env,
) sessions.Deps {
	return sessions.Deps{
		Records: r, Tools: a, ServerRequests: requests, Cluster: c,
		Expander: expander{config.NewExpander(env)},
	}
}

func restDeps(
	r *servers.ServerRegistry, m *sessions.SessionManager, t rest.Tools, f rest.Search, p *profiles.ProfileRegistry, s servers.Store,
) rest.Deps {
	return rest.Deps{Servers: r, Connections: connections{m, s}, Tools: t, Search: f, Profiles: p, Readiness: readiness{s}}
}

func dialers(spawner child.Spawner, log *slog.Logger, o Options) sessions.Dialers {
	all := sessions.Dialers{servers.Stdio: &stdioDialer{spawner, o.Version, log}}
	maps.Copy(all, remote.NewDialers(log, remote.Options{Version: o.Version}))
	return all
}

// connections implements rest.Connections with the sessions.
type connections struct {
	*sessions.SessionManager

	store servers.Store
}

func (c connections) History(ctx context.Context, id string, limit int) ([]servers.Event, error) {
	events, err := c.store.History(ctx, id, limit)
	return events, storeError(err)
}

// storeError converts an error of the store for the REST API.
func storeError(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	return &servers.StoreError{Err: err}
}

// readiness implements rest.Readiness: the service is ready if the store responds.
type readiness struct{ store servers.Store }

// readyTimeout bounds the wait for the store, because probes wait for about 2 s.
const readyTimeout = 1500 * time.Millisecond

func (r readiness) Ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	_, err := r.store.Servers(ctx)
	return err
}

// tools implements rest.Tools with the catalog and the router.
type tools struct {
	*catalog.ToolAggregator

	router *router.RequestRouter
	caller gateway.Caller
}

// Tools implements rest.Tools.
func (t tools) Tools(ctx context.Context) ([]servers.Tool, error) {
	all, err := t.ToolAggregator.Tools(ctx)
	return all, storeError(err)
}

// Call implements rest.Tools.
func (t tools) Call(ctx context.Context, c rest.Call) (rest.Answer, error) {
	request, err := requestOf(c)
	if err != nil {
		return rest.Answer{}, err
	}
	by := restCaller(c.Host)
	answer, err := t.caller.Call(ctx, router.Call{
		Query: router.Query{Name: c.Name, Server: c.ServerID}, Request: request, Session: by.Session, Principal: by.Principal,
	})
	if err != nil {
		return rest.Answer{}, err
	}
	response := answer.Response
	if refusal := response.Error.Of(response.Line); refusal != nil && string(refusal) != "null" {
		return rest.Answer{}, &servers.RPCError{Server: answer.Server, Raw: refusal}
	}
	return rest.Answer{
		Result: response.Result.Of(response.Line), RoutedTo: answer.Server,
		Routing: answer.Routing, Execution: answer.Execution,
	}, nil
}

// requestOf returns the tools/call request for a call over REST: on one line, because
// stdio servers read lines.
func requestOf(c rest.Call) (*wire.Message, error) {
	params := wire.AppendQuoted([]byte(`{"name":`), c.Name)
	if len(c.Arguments) > 0 {
		params = append(append(params, `,"arguments":`...), wire.OneLine(c.Arguments)...)
	}
	var m wire.Message
	if err := new(wire.Scanner).Scan(wire.AppendRequest(nil, []byte("0"), "tools/call", append(params, '}')), &m); err != nil {
		return nil, fmt.Errorf("arguments: %w", err)
	}
	return &m, nil
}

// Unknown implements rest.Tools.
func (t tools) Unknown(name string, among []servers.Tool) error {
	return t.router.UnknownToolError(name, func(yield func(registry.NamedTool) bool) {
		for i := range among {
			if !yield(registry.NamedTool{Name: among[i].Namespaced, OriginalName: among[i].Name}) {
				return
			}
		}
	})
}
