package wire_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-aggregator/modules/wire"
)

// sdkSide is a session connected to the SDK. It records what the SDK reads and writes.
type sdkSide struct {
	*wire.Session

	mu      sync.Mutex
	read    []jsonrpc.Message
	written []string
	kinds   []wire.Kind
	ids     []string
}

func newSDKSide(t *testing.T) *sdkSide {
	t.Helper()
	s := new(sdkSide)
	s.Session = wire.NewSession(s.record)
	t.Cleanup(func() { _ = s.Close() }) // otherwise a failed test waits for the SDK
	return s
}

func (s *sdkSide) record(m *wire.Message) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.written, s.kinds, s.ids = append(s.written, string(m.Line)), append(s.kinds, m.Kind), append(s.ids, string(m.ID.Of(m.Line)))
	return nil
}

func (s *sdkSide) Connect(context.Context) (mcp.Connection, error) { return s, nil }

func (s *sdkSide) Read(ctx context.Context) (jsonrpc.Message, error) {
	msg, err := s.Session.Read(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.read = append(s.read, msg)
	return msg, err
}

// requestIDs returns the ids of the requests that the SDK has read.
func (s *sdkSide) requestIDs() (ids []any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, msg := range s.read {
		if request, ok := msg.(*jsonrpc.Request); ok && request.IsCall() {
			ids = append(ids, request.ID.Raw())
		}
	}
	return ids
}

// takeWritten returns what the SDK has written since the last call. It must be called in
// a synctest bubble.
func (s *sdkSide) takeWritten() []string {
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	lines := s.written
	s.written, s.kinds, s.ids = nil, nil, nil
	return lines
}

func deliver(t *testing.T, s *sdkSide, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if err := s.Deliver(scanned(t, line)); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
}

func wantLines(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Fatalf("the SDK wrote\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// serve starts a server of the SDK on a session.
func serve(t *testing.T) (*sdkSide, *mcp.ServerSession) {
	t.Helper()
	server := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, &mcp.ServerOptions{
		Capabilities: &mcp.ServerCapabilities{}, Logger: slog.New(slog.DiscardHandler),
	})
	s := newSDKSide(t)
	session, err := server.Connect(t.Context(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s, session
}

// checkClose checks that Close ends the SDK's session.
func checkClose(t *testing.T, s *sdkSide, wait func() error) {
	t.Helper()
	if err := errors.Join(s.Close(), s.Close(), wait()); err != nil {
		t.Errorf("end of the session: %v", err)
	}
}

const (
	initialize  = `"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`
	initialized = `{"jsonrpc":"2.0","id":%,"result":{"capabilities":{},"protocolVersion":"2025-11-25","serverInfo":{"name":"s","version":"1"}}}`
)

// unusualIDs are ids that the SDK would change, reject or compare as equal.
var unusualIDs = []string{
	`1`, `"1"`, `1.50`, `1.5`, `9007199254740993`, `9007199254740992`, `-0`, `1e400`, `123456789012345678901234567890`,
	`""`, `"a"`, `"\u0061"`, `"\ud800"`, `"<>&\/é"`, `null`, `true`, `{"id":1}`, `[ ]`,
}

func TestResponsesHaveTheIDsAsThePeerWroteThem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, session := serve(t)
		deliver(t, s, `{"jsonrpc":"2.0","id":"\u0069nit",`+initialize)
		wantLines(t, s.takeWritten(), strings.Replace(initialized, "%", `"\u0069nit"`, 1))
		want := []any{int64(1)}
		for i, id := range unusualIDs {
			deliver(t, s, `{ "method":"ping", "id" : `+id+` , "jsonrpc":"2.0"}`)
			synctest.Wait()
			if !slices.Equal(s.kinds, []wire.Kind{wire.Response}) || !slices.Equal(s.ids, []string{id}) {
				t.Errorf("the answer to %s was handed on as %v %s", id, s.kinds, s.ids)
			}
			wantLines(t, s.takeWritten(), `{"jsonrpc":"2.0","id":`+id+`,"result":{}}`)
			want = append(want, int64(i+2))
		}
		if got := s.requestIDs(); !slices.Equal(got, want) {
			t.Errorf("the SDK saw the ids %v, want %v", got, want)
		}
		checkClose(t, s, session.Wait)
	})
}

func TestErrorResponsesHaveTheIDsAsThePeerWroteThem(t *testing.T) {
	for name, rest := range map[string]string{
		"an unknown method":         `"method":"nope"}`,
		"initialize without params": `"method":"initialize"}`,
		"initialize of null":        `"method":"initialize","params":null}`,
		"initialize of an array":    `"method":"initialize","params":[]}`,
		"initialize of nonsense":    `"method":"initialize","params":{"protocolVersion":1,"capabilities":"","clientInfo":[]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, session := serve(t)
				deliver(t, s, `{"jsonrpc":"2.0","id":1.50,`+rest)
				if got := s.takeWritten(); len(got) != 1 || !strings.HasPrefix(got[0], `{"jsonrpc":"2.0","id":1.50,"error":{`) {
					t.Errorf("answer %q", got)
				}
				checkClose(t, s, session.Wait)
			})
		})
	}
}

func TestEachRequestWithTheSameIDGetsAResponse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, session := serve(t)
		deliver(t, s, `{"jsonrpc":"2.0","id":"a",`+initialize)
		s.takeWritten()
		ping := `{"jsonrpc":"2.0","id":"a","method":"ping"}`
		deliver(t, s, slices.Repeat([]string{ping}, 100)...)
		wantLines(t, s.takeWritten(), slices.Repeat([]string{`{"jsonrpc":"2.0","id":"a","result":{}}`}, 100)...)
		checkClose(t, s, session.Wait)
	})
}

// connectClient does the handshake with a client of the SDK, as a server that sends a
// request of its own with the same id.
func connectClient(t *testing.T) (*sdkSide, *mcp.ClientSession) {
	t.Helper()
	s := newSDKSide(t)
	connected := make(chan *mcp.ClientSession, 1)
	go func() {
		client := mcp.NewClient(&mcp.Implementation{Name: "c", Version: "1"}, &mcp.ClientOptions{
			Capabilities: &mcp.ClientCapabilities{}, Logger: slog.New(slog.DiscardHandler),
		})
		session, err := client.Connect(t.Context(), s, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
		if err != nil {
			t.Error(err)
		}
		connected <- session
	}()
	if got := s.takeWritten(); len(got) != 1 || !scanned(t, got[0]).MethodIs("initialize") {
		t.Fatalf("the client began with %q", got)
	}
	deliver(t, s, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, strings.Replace(initialized, "%", "1", 1))
	synctest.Wait()
	slices.Sort(s.written) // the SDK writes from two goroutines
	wantLines(t, s.takeWritten(), `{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","method":"notifications/initialized","params":{}}`)
	return s, <-connected
}

func TestRequestsOfBothSidesWithTheSameIDAreKeptApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, session := connectClient(t)
		result := make(chan error, 1)
		go func() { result <- session.Ping(t.Context(), nil) }()
		wantLines(t, s.takeWritten(), `{"jsonrpc":"2.0","id":2,"method":"ping"}`)
		deliver(t, s, `{"jsonrpc":"2.0","id":2,"method":"ping"}`, `{"jsonrpc":"2.0","id":1.50,"method":"ping"}`)
		got := s.takeWritten()
		slices.Sort(got)
		wantLines(t, got, `{"jsonrpc":"2.0","id":1.50,"result":{}}`, `{"jsonrpc":"2.0","id":2,"result":{}}`)
		if len(result) > 0 {
			t.Fatal("the client took its own answer for the server's")
		}
		deliver(t, s, `{"jsonrpc":"2.0","id":2,"error":{"code":-7,"message":"no"}}`)
		if err := <-result; must[*jsonrpc.Error](t, err).Code != -7 {
			t.Error(err)
		}
		checkClose(t, s, session.Wait)
	})
}
