package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
)

// conn is a connection for sequential requests. To keep its own cost minimal, it supports
// only the parts of HTTP that these servers use.
type conn struct {
	net  net.Conn
	in   *bufio.Reader
	body []byte
}

func dial(address string) (*conn, error) {
	c, err := net.Dial("tcp", address)
	return &conn{net: c, in: bufio.NewReaderSize(c, 16<<10)}, err
}

// do makes a request and returns the body of its response, which is valid until the next
// call.
func (c *conn) do(request []byte) (body []byte, err error) {
	if _, err := c.net.Write(request); err != nil {
		return nil, err
	}
	length, err := c.head()
	if err != nil {
		return nil, err
	}
	if cap(c.body) < length {
		c.body = make([]byte, length)
	}
	c.body = c.body[:length]
	_, err = io.ReadFull(c.in, c.body)
	return c.body, err
}

var (
	ok           = []byte(" 200 ")
	lengthHeader = []byte("content-length:")
)

// head reads the head of a response and returns the length of its body.
func (c *conn) head() (length int, err error) {
	length = -1
	status, err := c.in.ReadSlice('\n')
	if err != nil {
		return 0, err
	}
	if !bytes.Contains(status, ok) {
		rest, _ := c.in.Peek(c.in.Buffered()) // buffered bytes, so it cannot fail
		return 0, fmt.Errorf("%s: %.500s", bytes.TrimSpace(status), rest)
	}
	for {
		line, err := c.in.ReadSlice('\n')
		switch {
		case err != nil:
			return 0, err
		case len(line) <= len("\r\n") && length < 0:
			return 0, errors.New("a response without Content-Length")
		case len(line) <= len("\r\n"):
			return length, nil
		case len(line) > len(lengthHeader) && bytes.EqualFold(line[:len(lengthHeader)], lengthHeader):
			if length, err = strconv.Atoi(string(bytes.TrimSpace(line[len(lengthHeader):]))); err != nil {
				return 0, err
			}
		}
	}
}

func (c *conn) close() { _ = c.net.Close() } // the connection is no longer needed
