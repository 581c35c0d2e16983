package service

import (
	"context"

	"mcp-aggregator/app/toolsearch"
	"mcp-aggregator/modules/gateway"
	"mcp-aggregator/modules/router"
	"mcp-aggregator/modules/search"
)

// observedCaller has the search learn from the calls that it carries.
type observedCaller struct {
	router   *router.RequestRouter
	searcher *toolsearch.Searcher
}

func newCaller(r *router.RequestRouter, s *toolsearch.Searcher) gateway.Caller {
	return observedCaller{r, s}
}

// Call implements [gateway.Caller]. A call that its server refuses teaches nothing.
func (c observedCaller) Call(ctx context.Context, call router.Call) (*router.Answer, error) {
	answer, err := c.router.Call(ctx, call)
	if err == nil && answer.Response.Result.Present() {
		c.searcher.Called(toolsearch.Caller{Session: call.Session, Principal: call.Principal}, answer.Server, answer.Tool)
	}
	return answer, err
}

// restCaller returns who calls over REST, which has no sessions: all clients at one
// address.
func restCaller(address string) toolsearch.Caller {
	name := "REST at " + address
	return toolsearch.Caller{Session: name, Principal: name}
}

// restSearch implements [rest.Search] with the searcher.
type restSearch struct{ *toolsearch.Searcher }

func (s restSearch) Search(ctx context.Context, host string, q search.Query) (search.Results, error) {
	return s.For(restCaller(host)).Search(ctx, q)
}

func learningOptions(o Options) search.LearningOptions {
	return search.LearningOptions{Off: o.NoLearning}
}
