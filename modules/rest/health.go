package rest

import (
	"context"
	"net/http"
)

// Readiness reports whether the service can do its work.
type Readiness interface {
	// Ready returns why the service is not ready. The error is logged and not shown.
	Ready(ctx context.Context) error
}

// stateBody is the state of the service.
type stateBody struct {
	Status string `json:"status" example:"ok"`
}

func (a *API) healthEndpoints() []endpoint {
	return []endpoint{
		{
			method: http.MethodGet, path: "/healthz", id: "getHealth", summary: "Report that the service runs",
			description: "Needs no token.", public: true, status: http.StatusOK, result: stateBody{}, handle: a.getHealth,
		},
		{
			method: http.MethodGet, path: "/readyz", id: "getReadiness", summary: "Report whether the service can do its work",
			description: "Needs no token.", public: true, status: http.StatusOK, result: stateBody{},
			codes: []code{notReady}, handle: a.getReadiness,
		},
	}
}

func (a *API) getHealth(*request) (reply, error) { return okReply(stateBody{Status: "ok"}), nil }

func (a *API) getReadiness(r *request) (reply, error) {
	if err := a.deps.Readiness.Ready(r.Context()); err != nil {
		a.log.Warn("the service is not ready", "error", err)
		return reply{}, newProblem(notReady, detailNotReady).asError()
	}
	return okReply(stateBody{Status: "ready"}), nil
}
