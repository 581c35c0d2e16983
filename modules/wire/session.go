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
// mcp.Connection, which carry just the messages that the SDK handles. The SDK rounds
// large ids, so requests of the peer get ids of our own, and the SDK's responses leave
// with the peer's id bytes.
type Session struct {
	send     func(*Message) error
	incoming chan jsonrpc.Message
	done     chan struct{}
	once     sync.Once

	mu      sync.Mutex
	lastID  int64
	peerIDs map[int64][]byte // the peer's ids of pending requests, by our own ids
}

// NewSession returns a Session that calls send with every message the SDK writes. The
// message is valid only during the call. send must not wait for the SDK.
func NewSession(send func(*Message) error) *Session {
	return &Session{
		send:     send,
		incoming: make(chan jsonrpc.Message, 16),
		done:     make(chan struct{}),
		peerIDs:  make(map[int64][]byte),
	}
}

// Deliver passes one message of the peer to the SDK: a request under an id of our own,
// anything else unchanged. It returns an error if the SDK cannot decode the message or
// the session is closed.
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
	if s.isClosed() { // select would choose at random if there is room
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

// SessionID implements mcp.Connection. It is empty, as for stdio.
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

// Close implements mcp.Connection. The SDK's next Read returns io.EOF.
func (s *Session) Close() error {
	s.once.Do(func() { close(s.done) })
	return nil
}

// assignID returns an id of our own for a request of the peer.
func (s *Session) assignID(peerID []byte) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastID++
	s.peerIDs[s.lastID] = bytes.Clone(peerID)
	return s.lastID
}

// takePeerID removes and returns the peer's id for an id of our own.
func (s *Session) takePeerID(id int64) (peerID []byte, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	peerID, ok = s.peerIDs[id]
	delete(s.peerIDs, id)
	return peerID, ok
}

var errUnknownResponse = errors.New("response to a request that the peer did not send")

// sendResponse sends the SDK's response with the peer's own id.
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
