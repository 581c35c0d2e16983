package gateway_test

import (
	"context"
	"net/http"
	"testing"

	"mcp-aggregator/modules/gateway"
	"mcp-aggregator/modules/router"
	"mcp-aggregator/modules/wire"
)

type wireMessage = wire.Message

const (
	elicitation = `{"jsonrpc":"2.0","id":"srv\u002d1","method":"elicitation/create","params":{"message":"m","n":1e400}}`
	sampling    = `{"jsonrpc":"2.0","id":7,"method":"sampling/createMessage","params":{"maxTokens":1.0}}`
	roots       = `{"jsonrpc":"2.0","id":7,"method":"roots/list"}`
)

// heldCall is an open call, during which the test sends requests to the client.
type heldCall struct {
	client   chan router.Client
	release  chan struct{}
	answers  chan string // "" if there will be none
	withdraw func(*wire.Message)
}

func holdCalls(h *harness) *heldCall {
	q := &heldCall{client: make(chan router.Client, 9), release: make(chan struct{}), answers: make(chan string, 9)}
	h.handleCalls(func(_ context.Context, call router.Call) (*router.Answer, error) {
		q.client <- call.Client
		<-q.release
		return answerOf(`{"jsonrpc":"2.0","id":0,"result":{}}`), nil
	})
	return q
}

func (q *heldCall) forward(client router.Client, line string) bool {
	q.withdraw = client.ForwardRequest(message(line), func(response *wire.Message) {
		if response == nil {
			q.answers <- ""
			return
		}
		q.answers <- string(response.Line)
	})
	return q.withdraw != nil
}

func TestAServersRequestGoesToTheClientOfTheCall(t *testing.T) {
	h := newHTTPHarness(t, gateway.Options{})
	v := h.connectAs(t, "2025-11-25", "a", `{"elicitation":{},"sampling":{}}`)
	q := holdCalls(h)
	done := make(chan *eventStream, 1)
	go func() { done <- v.stream(t, http.MethodPost, call(`"c"`)) }()
	client := receive(t, "the call", q.client)
	if !q.forward(client, elicitation) || !q.forward(client, sampling) {
		t.Fatal("the request is refused")
	}
	stream := receive(t, "the stream", done)
	if got := stream.nextEvent(t); got != `{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"m","n":1e400}}` {
		t.Error(got)
	}
	if got := stream.nextEvent(t); got != `{"jsonrpc":"2.0","id":2,"method":"sampling/createMessage","params":{"maxTokens":1.0}}` {
		t.Error(got)
	}
	answer := `{"jsonrpc":"2.0","id":2.0,"result":{"n":1e400}}`
	for range 2 { // the second response answers no open request
		if got := v.post(t, answer); got.status != http.StatusAccepted {
			t.Errorf("%+v", got)
		}
	}
	if got := receive(t, "the answer", q.answers); got != answer {
		t.Error(got)
	}
	h.connect(t).post(t, `{"jsonrpc":"2.0","id":1,"result":{}}`) // from another session
	q.withdraw(message(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`))
	close(q.release)
	if got := receive(t, "the end of the call", q.answers); got != "" {
		t.Error(got)
	}
	if got := stream.nextEvent(t); got != `{"jsonrpc":"2.0","id":"c","result":{}}` {
		t.Error(got)
	}
	if len(q.answers) != 0 {
		t.Error("it is answered once more")
	}
}

func TestAServerWithdrawsItsRequest(t *testing.T) {
	h := newHTTPHarness(t, gateway.Options{})
	v := h.connectAs(t, "2025-11-25", "a", `{"elicitation":{}}`)
	q := holdCalls(h)
	done := make(chan *eventStream, 1)
	go func() { done <- v.stream(t, http.MethodPost, call("1")) }()
	q.forward(receive(t, "the call", q.client), elicitation)
	stream := receive(t, "the stream", done)
	stream.nextEvent(t)
	for range 2 { // the second call has no effect
		q.withdraw(message(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"srv-1","reason":"\u0061"}}`))
	}
	if got := stream.nextEvent(t); got != `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"\u0061"}}` {
		t.Error(got)
	}
	v.post(t, `{"jsonrpc":"2.0","id":1,"result":{}}`) // too late
	close(q.release)
	if got := stream.nextEvent(t); got != `{"jsonrpc":"2.0","id":1,"result":{}}` {
		t.Error(got)
	}
	if len(q.answers) != 0 {
		t.Error(<-q.answers)
	}
}

func TestRequestsEndWithTheSession(t *testing.T) {
	h := newHTTPHarness(t, gateway.Options{})
	v := h.connectAs(t, "2025-11-25", "a", `{"elicitation":{}}`)
	q := holdCalls(h)
	answer := v.postAsync(t, call("1"))
	client := receive(t, "the call", q.client)
	q.forward(client, elicitation)
	v.do(t, http.MethodDelete, "")
	if got := receive(t, "the end", q.answers); got != "" {
		t.Error(got)
	}
	if q.forward(client, elicitation) {
		t.Error("a session that has ended takes a request")
	}
	close(q.release)
	receive(t, "the response", answer)
}

func TestAClientReceivesOnlyRequestsThatItSupports(t *testing.T) {
	h := newHTTPHarness(t, gateway.Options{})
	for capabilities, takes := range map[string]map[string]bool{
		`{}`:                       {elicitation: false, sampling: false, roots: false},
		`{"elicitation":{}}`:       {elicitation: true, sampling: false, roots: false},
		`{"sampling":{"tools":1}}`: {elicitation: false, sampling: true, roots: false},
		`{"roots":{}}`:             {elicitation: false, sampling: false, roots: false},
		`[]`:                       {elicitation: false, sampling: false, roots: false},
	} {
		t.Run(capabilities, func(t *testing.T) {
			v := h.connectAs(t, "2025-11-25", "a", capabilities)
			q := holdCalls(h)
			answer := v.postAsync(t, call("1"))
			client := receive(t, "the call", q.client)
			for line, want := range takes {
				if q.forward(client, line) != want {
					t.Errorf("%t: %s", !want, line)
				}
			}
			close(q.release)
			receive(t, "the response", answer)
		})
	}
}

func TestNoRequestIsSentOnACallThatIsOver(t *testing.T) {
	h := newHTTPHarness(t, gateway.Options{})
	v := h.connectAs(t, "2025-03-26", "a", `{"elicitation":{}}`)
	clients, release := make(chan router.Client, 2), map[string]chan struct{}{"1": make(chan struct{}), "2": make(chan struct{})}
	h.handleCalls(func(_ context.Context, call router.Call) (*router.Answer, error) {
		id := string(call.Request.ID.Of(call.Request.Line))
		if id == "1" {
			clients <- call.Client
		}
		<-release[id]
		return answerOf(`{"jsonrpc":"2.0","id":0,"result":{}}`), nil
	})
	done := make(chan *eventStream, 1)
	go func() { done <- v.stream(t, http.MethodPost, "["+call("1")+","+call("2")+"]") }()
	client := receive(t, "the call", clients)
	close(release["1"])
	stream := receive(t, "the stream", done)
	if got := stream.nextEvent(t); got != `{"jsonrpc":"2.0","id":1,"result":{}}` {
		t.Error(got)
	}
	if client.ForwardRequest(message(elicitation), func(*wire.Message) { t.Error("it is answered") }) != nil {
		t.Error("the request is sent on the stream of another call")
	}
	close(release["2"])
	if got := stream.nextEvent(t); got != `{"jsonrpc":"2.0","id":2,"result":{}}` {
		t.Error(got)
	}
}
