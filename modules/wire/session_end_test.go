package wire_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-aggregator/modules/wire"
)

// readByTheSDK returns the next message that the SDK reads, as a line.
func readByTheSDK(t *testing.T, s *sdkSide) string {
	t.Helper()
	msg, err := s.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	line, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		t.Fatal(err)
	}
	return string(line)
}

// respond has the SDK respond to the request that it received under that id.
func respond(t *testing.T, s *sdkSide, id any) error {
	t.Helper()
	made, err := jsonrpc.MakeID(id)
	if err != nil {
		t.Fatal(err)
	}
	return s.Write(t.Context(), &jsonrpc.Response{ID: made, Result: []byte("{}")})
}

func TestADeliveredMessageIsACopy(t *testing.T) {
	s := newSDKSide(t)
	for line, want := range map[string]string{
		`{"jsonrpc":"2.0","id":"a","method":"m","params":{"a":"b"}}`: `{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":"b"}}`,
		`{"jsonrpc":"2.0","method":"m","params":{"a":"b"}}`:          `{"jsonrpc":"2.0","method":"m","params":{"a":"b"}}`,
		`{"jsonrpc":"2.0","id":"a","result":{"a":"b"}}`:              `{"jsonrpc":"2.0","id":"a","result":{"a":"b"}}`,
	} {
		m := scanned(t, line)
		if err := s.Deliver(m); err != nil {
			t.Fatal(err)
		}
		copy(m.Line, bytes.Repeat([]byte("x"), len(m.Line))) // the next line is read
		if got := readByTheSDK(t, s); got != want {
			t.Errorf("%s was read as %s", line, got)
		}
	}
	if err := respond(t, s, 1.0); err != nil || len(s.ids) != 1 || s.ids[0] != `"a"` {
		t.Errorf("answered under %s: %v", s.ids, err)
	}
}

func TestAMessageThatTheSDKCannotReadIsAnError(t *testing.T) {
	deep := strings.Repeat("[", 1100) + strings.Repeat("]", 1100)
	for name, line := range map[string]string{
		"another version":          `{"jsonrpc":"1.0","id":1,"method":"ping"}`,
		"no version":               `{"id":1,"method":"ping"}`,
		"a method of another type": `{"jsonrpc":"2.0","id":1,"method":7}`,
		"params too deep":          `{"jsonrpc":"2.0","id":1,"method":"ping","params":` + deep + `}`,
		"an answer to a list":      `{"jsonrpc":"2.0","id":[],"result":{}}`,
		"an error of another type": `{"jsonrpc":"2.0","id":1,"error":7}`,
		"a batch":                  `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`,
		"no message":               `{"jsonrpc":"2.0"}`,
		"no object":                `7`,
	} {
		t.Run(name, func(t *testing.T) {
			s := newSDKSide(t)
			if err := s.Deliver(scanned(t, line)); err == nil || !strings.HasPrefix(err.Error(), "message for the session: ") {
				t.Errorf("error %v", err)
			}
			if err := respond(t, s, 1.0); err == nil || len(s.written) > 0 {
				t.Errorf("the id is still kept: %q, %v", s.written, err)
			}
			deliver(t, s, `{"jsonrpc":"2.0","method":"next"}`)
			if got := readByTheSDK(t, s); !strings.Contains(got, "next") {
				t.Errorf("the SDK read %s", got)
			}
		})
	}
}

func TestAResponseWithoutARequestIsAnError(t *testing.T) {
	s := newSDKSide(t)
	deliver(t, s, `{"jsonrpc":"2.0","id":"a","method":"ping"}`)
	for _, id := range []any{2.0, -1.0, "a", "1", "", nil} {
		if err := respond(t, s, id); err == nil || !strings.Contains(err.Error(), "did not send") || len(s.written) > 0 {
			t.Errorf("answer to %v: %v, written %q", id, err, s.written)
		}
	}
	if err := respond(t, s, 1.0); err != nil || len(s.written) != 1 {
		t.Errorf("the answer: %v, written %q", err, s.written)
	}
	if err := respond(t, s, 1.0); err == nil || len(s.written) != 1 {
		t.Errorf("the answer once more: %v, written %q", err, s.written)
	}
}

func TestAFailureToSendReachesTheSDK(t *testing.T) {
	s := wire.NewSession(func(*wire.Message) error { return errSink })
	if err := s.Deliver(scanned(t, `{"jsonrpc":"2.0","id":"a","method":"ping"}`)); err != nil {
		t.Fatal(err)
	}
	if err := s.Write(t.Context(), &jsonrpc.Request{Method: "m"}); !errors.Is(err, errSink) {
		t.Errorf("notification: %v", err)
	}
	if err := respond(t, &sdkSide{Session: s}, 1.0); !errors.Is(err, errSink) {
		t.Errorf("answer: %v", err)
	}
}

func TestCloseUnblocksReadAndDeliver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reading, delivering := newSDKSide(t), newSDKSide(t)
		read, delivered := make(chan error, 1), make(chan error, 1)
		go func() {
			_, err := reading.Read(t.Context())
			read <- err
		}()
		go func() {
			for {
				if err := delivering.Deliver(&wire.Message{Line: []byte(`{"jsonrpc":"2.0","method":"m"}`)}); err != nil {
					delivered <- err
					return
				}
			}
		}()
		synctest.Wait()
		if len(read)+len(delivered) > 0 {
			t.Fatal("somebody did not wait")
		}
		if err := errors.Join(reading.Close(), delivering.Close()); err != nil {
			t.Error(err)
		}
		if err := <-read; !errors.Is(err, io.EOF) {
			t.Errorf("read: %v", err)
		}
		if err := <-delivered; !errors.Is(err, mcp.ErrConnectionClosed) {
			t.Errorf("deliver: %v", err)
		}
	})
}

func TestNothingIsDeliveredToAClosedSession(t *testing.T) {
	s := newSDKSide(t)
	_ = s.Close()  // never fails
	for range 50 { // the queue has room
		if err := s.Deliver(scanned(t, `{"jsonrpc":"2.0","id":"a","method":"ping"}`)); !errors.Is(err, mcp.ErrConnectionClosed) {
			t.Fatalf("deliver: %v", err)
		}
	}
	if _, err := s.Read(t.Context()); !errors.Is(err, io.EOF) {
		t.Errorf("read: %v", err)
	}
	if err := respond(t, s, 1.0); err == nil {
		t.Error("the id of a request that was not delivered is still kept")
	}
}

func TestReadEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := newSDKSide(t).Read(ctx); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}

func TestASessionOverPipesHasNoID(t *testing.T) {
	if id := newSDKSide(t).SessionID(); id != "" {
		t.Errorf("id %q", id)
	}
}

func TestAResponseWithoutAResultIsAResponse(t *testing.T) {
	s := newSDKSide(t)
	deliver(t, s, `{"jsonrpc":"2.0","id":"a","method":"ping"}`)
	id, err := jsonrpc.MakeID(1.0)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Write(t.Context(), &jsonrpc.Response{ID: id}); err != nil || len(s.written) != 1 || s.written[0] != `{"jsonrpc":"2.0","id":"a"}` {
		t.Errorf("%q, %v", s.written, err)
	}
}
