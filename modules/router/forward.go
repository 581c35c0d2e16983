package router

import (
	"bytes"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"mcp-aggregator/modules/sessions"
	"mcp-aggregator/modules/wire"
)

// pendingRequests are the requests of one server that a client has not answered: how to
// withdraw them, by their ids.
type pendingRequests map[string]func(note *wire.Message)

// forward carries a request of the server to the client that it concerns, or refuses it.
func (d *serverRequests) forward(m *wire.Message, from sessions.Origin, of sessions.Replier) {
	id := bytes.Clone(m.ID.Of(m.Line))
	e := d.callOf(of)
	if e == nil || e.client == nil {
		refuse(from, id, jsonrpc.CodeInternalError, "no client can be asked: it is not known whose call this is about")
		return
	}
	key := string(wire.KeyOf(id))
	over := false // guarded by d.mu
	withdraw := e.client.Ask(m, func(response *wire.Message) {
		d.mu.Lock()
		over = true
		delete(d.pending, key)
		d.mu.Unlock()
		if response == nil {
			refuse(from, id, jsonrpc.CodeInternalError, "the client has gone")
			return
		}
		from.Send(response.WithID(id))
	})
	if withdraw == nil {
		method, _ := wire.Unquote(m.Method.Of(m.Line))
		refuse(from, id, jsonrpc.CodeMethodNotFound, fmt.Sprintf("the client does not support %s", method))
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if !over {
		d.pending[key] = withdraw
	}
}

func refuse(from sessions.Origin, id []byte, code int, message string) {
	from.Send(wire.AppendErrorLine(nil, id, &wire.Error{Code: code, Message: message}))
}

// cancelForwarded tells the client that the server waits for its answer no more.
func (d *serverRequests) cancelForwarded(note *wire.Message) {
	key := string(wire.KeyOf(note.Param("requestId").Of(note.Line)))
	d.mu.Lock()
	withdraw := d.pending[key]
	delete(d.pending, key)
	d.mu.Unlock()
	if withdraw != nil {
		withdraw(note)
	}
}
