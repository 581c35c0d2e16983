package rest

import (
	"net/http"
	"net/url"

	"mcp-aggregator/modules/servers"
)

const recordsPath = prefix + "/aggregator/servers"

func (a *API) listServers(r *http.Request) (reply, error) {
	asked, err := statuses(r.URL.Query())
	if err != nil {
		return reply{}, err
	}
	view := serversBody{Servers: []serverBody{}}
	for _, s := range a.servers.Servers() {
		if asked == nil || asked[s.Status] {
			view.Servers = append(view.Servers, serverView(s))
		}
	}
	view.Total = len(view.Servers)
	return ok(view), nil
}

func (a *API) registerServer(r *http.Request) (reply, error) {
	body, err := readBody(r, maxRecord)
	if err != nil {
		return reply{}, err
	}
	in := receive(a.schemas, body, a.draft)
	draft := in.draft()
	if err := in.invalid(draft.Transport, draft.Check()); err != nil {
		return reply{}, err
	}
	s, err := a.servers.Register(r.Context(), draft)
	if err != nil {
		return reply{}, err
	}
	made := reply{status: http.StatusCreated, location: recordsPath + "/" + url.PathEscape(s.ID), body: marshal(serverView(s))}
	return made, nil
}

func (a *API) getServer(r *http.Request) (reply, error) {
	s, err := a.servers.Server(r.PathValue("id"))
	if err != nil {
		return reply{}, err
	}
	return ok(serverView(s)), nil
}

func (a *API) changeServer(r *http.Request) (reply, error) {
	body, err := readBody(r, maxRecord)
	if err != nil {
		return reply{}, err
	}
	current, err := a.servers.Server(r.PathValue("id"))
	if err != nil {
		return reply{}, err
	}
	in := receive(a.schemas, body, a.change)
	change := in.change(current)
	transport := value(change.Transport, current.Transport)
	if err := in.invalid(transport, change.Check(current)); err != nil {
		return reply{}, err
	}
	s, err := a.servers.Change(r.Context(), current.ID, change)
	if err != nil {
		return reply{}, err
	}
	return ok(serverView(s)), nil
}

func (a *API) removeServer(r *http.Request) (reply, error) {
	if err := a.servers.Remove(r.Context(), r.PathValue("id")); err != nil {
		return reply{}, err
	}
	return reply{status: http.StatusNoContent}, nil
}

func (a *API) connectServer(r *http.Request) (reply, error) {
	s, err := a.servers.Server(r.PathValue("id"))
	if err != nil {
		return reply{}, err
	}
	// A connected server may be about to be disconnected: that it is wanted is
	// said in any case.
	status, err := a.connections.Connect(r.Context(), s.ID)
	switch {
	case err != nil:
		return reply{}, err
	case s.Status.Live():
		return ok(connectingBody{Status: string(s.Status), Message: "Already connected"}), nil
	case status == servers.Disconnected:
		s, err = a.servers.Server(s.ID)
		return ok(connectingBody{Status: string(status), Message: s.Error}), err
	}
	return ok(connectingBody{Status: string(servers.Connecting), Message: "Connection initiated"}), nil
}

func (a *API) disconnectServer(r *http.Request) (reply, error) {
	pending, err := a.connections.Disconnect(r.Context(), r.PathValue("id"))
	if err != nil {
		return reply{}, err
	}
	return ok(disconnectedBody{Status: string(servers.Disconnected), PendingRequests: pending}), nil
}

func (a *API) history(r *http.Request) (reply, error) {
	most, err := limit(r.URL.Query())
	if err != nil {
		return reply{}, err
	}
	id := r.PathValue("id")
	if _, err := a.servers.Server(id); err != nil {
		return reply{}, err
	}
	events, err := a.connections.History(r.Context(), id, most)
	if err != nil {
		return reply{}, err
	}
	return ok(historyView(id, events)), nil
}
