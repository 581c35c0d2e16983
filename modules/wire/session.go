package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Session is the session plane of one peer: an mcp.Transport and its only
// mcp.Connection, through which the SDK sees the few messages that are its
// own. The SDK rounds large ids, so the peer's requests reach it under ids of
// ours, and its answers leave with the peer's own id bytes.
type Session struct {
	send     func(*Message) error
	incoming chan jsonrpc.Message
	done     chan struct{}
	once     sync.Once

	mu      sync.Mutex
	lastID  int64
	peerIDs map[int64][]byte // our id -> the peer's, for requests not yet answered
}

// NewSession returns a Session that hands every message the SDK writes to
// send. The message is valid only during that call; send must not block on the
// SDK.
func NewSession(send func(*Message) error) *Session {
	return &Session{
		send:     send,
		incoming: make(chan jsonrpc.Message, 16),
		done:     make(chan struct{}),
		peerIDs:  make(map[int64][]byte),
	}
}

// Deliver hands one message of the peer to the SDK. A request gets an id of
// ours; anything else passes as it is. The error says why the SDK cannot read
// it.
func (s *Session) Deliver(m *Message) error {
	if m.Kind != Request {
		return s.deliverLine(m.Line)
	}
	id := s.assignID(m.ID.Of(m.Line))
	err := s.deliverLine(m.WithID(strconv.AppendInt(nil, id, 10)))
	if err != nil {
		s.takePeerID(id)
	}
	return err
}

func (s *Session) deliverLine(line []byte) error {
	msg, err := jsonrpc.DecodeMessage(line)
	if err != nil {
		return fmt.Errorf("message for the session: %w", err)
	}
	if s.isClosed() { // or select might still find room
		return mcp.ErrConnectionClosed
	}
	select {
	case s.incoming <- msg:
		return nil
	case <-s.done:
		return mcp.ErrConnectionClosed
	}
}

func (s *Session) isClosed() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// Connect implements mcp.Transport.
func (s *Session) Connect(context.Context) (mcp.Connection, error) { return s, nil }

// SessionID implements mcp.Connection; stdio has none.
func (*Session) SessionID() string { return "" }

// Read implements mcp.Connection.
func (s *Session) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case msg := <-s.incoming:
		return msg, nil
	case <-s.done:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Write implements mcp.Connection.
func (s *Session) Write(_ context.Context, msg jsonrpc.Message) error {
	line, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return fmt.Errorf("message of the session: %w", err)
	}
	var m Message
	if err := new(Scanner).Scan(line, &m); err != nil {
		return err
	}
	if _, isAnswer := msg.(*jsonrpc.Response); isAnswer {
		return s.sendResponse(&m)
	}
	return s.send(&m)
}

// Close implements mcp.Connection: the SDK's next Read reports io.EOF.
func (s *Session) Close() error {
	s.once.Do(func() { close(s.done) })
	return nil
}

// assignID returns our id for a request of the peer.
func (s *Session) assignID(peerID []byte) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastID++
	s.peerIDs[s.lastID] = bytes.Clone(peerID)
	return s.lastID
}

// takePeerID returns the peer's id for ours, once.
func (s *Session) takePeerID(id int64) (peerID []byte, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	peerID, ok = s.peerIDs[id]
	delete(s.peerIDs, id)
	return peerID, ok
}

var errUnknownResponse = errors.New("answer to a request that the peer did not make")

// sendResponse sends the SDK's response under the peer's own id.
func (s *Session) sendResponse(m *Message) error {
	id, err := strconv.ParseInt(string(m.ID.Of(m.Line)), 10, 64)
	if err != nil {
		return errUnknownResponse
	}
	peerID, ok := s.takePeerID(id)
	if !ok {
		return errUnknownResponse
	}
	var out Message
	if err := new(Scanner).Scan(m.WithID(peerID), &out); err != nil {
		return err
	}
	return s.send(&out)
}
