package rest

import (
	"context"
	"errors"
	"math"

	"mcp-aggregator/modules/profiles"
	"mcp-aggregator/modules/servers"
)

// retryAfterSeconds is the Retry-After of a server that is connecting, and of a service
// without memory for the body.
const retryAfterSeconds = 5

// problemOf returns the problem for err, or nil if it is an internal error.
func problemOf(err error) *problemBody {
	if p, ok := errors.AsType[problemError](err); ok {
		return p.problemBody
	}
	if _, ok := errors.AsType[*servers.StoreError](err); ok {
		return newProblem(notReady, detailDatabase)
	}
	if busy, ok := errors.AsType[*servers.BusyError](err); ok {
		p := newProblem(noRoom, busy.Error())
		p.retryAfter = retryAfterSeconds
		return p
	}
	if p, ok := errors.AsType[servers.Problems](err); ok {
		return newInvalid(faultsOf(p))
	}
	switch {
	case errors.Is(err, servers.ErrUnknown):
		return newProblem(unknownServer, servers.ErrUnknown.Error())
	case errors.Is(err, servers.ErrNameTaken):
		return nameTakenProblem(servers.ErrNameTaken, "is another server's: choose another")
	case errors.Is(err, profiles.ErrUnknown):
		return newProblem(unknownProfile, profiles.ErrUnknown.Error())
	case errors.Is(err, profiles.ErrNameTaken):
		return nameTakenProblem(profiles.ErrNameTaken, "is another profile's: choose another")
	case errors.Is(err, profiles.ErrTooMany):
		return newProblem(tooManyProfiles, profiles.ErrTooMany.Error())
	}
	if p := callProblem(err); p != nil {
		return p
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return newProblem(timedOut, detailTimedOut)
	case errors.Is(err, context.Canceled):
		return newProblem(outcomeUnknown, detailCanceled)
	case errors.Is(err, servers.ErrStopping):
		return newProblem(stopping, servers.ErrStopping.Error())
	}
	return nil
}

func nameTakenProblem(err error, detail string) *problemBody {
	p := newProblem(nameTaken, err.Error())
	p.Errors = []faultBody{{Pointer: new("/name"), Detail: detail}}
	return p
}

// callProblem returns the problem for the error of a call, or nil.
func callProblem(err error) *problemBody {
	if e, ok := errors.AsType[*servers.UnknownToolError](err); ok {
		p := newProblem(unknownTool, e.Error())
		p.Candidates = e.Nearest
		return p
	}
	if e, ok := errors.AsType[*servers.AmbiguousError](err); ok {
		p := newProblem(ambiguousTool, e.Error())
		p.Candidates = e.Candidates
		return p
	}
	if e, ok := errors.AsType[*servers.UnavailableError](err); ok {
		return unavailableProblem(e)
	}
	if e, ok := errors.AsType[*servers.RPCError](err); ok {
		p := newProblem(serverError, e.Error())
		p.Server, p.Error = e.Server, e.Raw
		return p
	}
	if e, ok := errors.AsType[*servers.LostError](err); ok {
		p := newProblem(outcomeUnknown, e.Error())
		p.Server = e.Server
		return p
	}
	return nil
}

func unavailableProblem(e *servers.UnavailableError) *problemBody {
	p := newProblem(unavailable, e.Error())
	p.Server, p.ServerStatus = e.Server, string(e.Status)
	if e.Status == servers.Connecting {
		p.retryAfter = max(retryAfterSeconds, int(math.Ceil(e.Next.Seconds())))
	}
	return p
}

// newInvalid returns the problem of an invalid request.
func newInvalid(faults []faultBody) *problemBody {
	p := newProblem(invalidRequest, detailInvalid)
	p.Errors = faults
	return p
}

func faultsOf(problems servers.Problems) []faultBody {
	var faults []faultBody
	for _, p := range problems {
		faults = append(faults, faultBody{Pointer: new(p.Pointer), Detail: p.Message})
	}
	return faults
}
