package clients

import (
	"errors"
	"fmt"
)

// ErrNotInstalled is returned by Uninstall if there is no entry with the key.
var ErrNotInstalled = errors.New("there is no such entry")

// Uninstall returns the client's file without the entry, and the mcpServers
// file that the entry named. Command and Args of in are not looked at, but for
// telling this program from another server, which is left alone.
func (in Installation) Uninstall(data []byte) (out []byte, served string, err error) {
	doc, err := parse(in.File, data)
	if err != nil {
		return nil, "", err
	}
	servers, err := doc.object(&doc.root, in.Client.Servers)
	if err != nil {
		return nil, "", err
	}
	if servers == nil {
		return nil, "", ErrNotInstalled
	}
	m, err := doc.find(servers, in.Key)
	switch {
	case err != nil:
		return nil, "", err
	case m == nil:
		return nil, "", ErrNotInstalled
	}
	command, args := programOf(&m.Value)
	if !startsAggregator(command, args, in.Command) {
		return nil, "", doc.problem(m.Name.StartOffset,
			fmt.Sprintf("%s: this is another server, not %s; choose the entry with --key", place(in.Client.Servers, in.Key), Program))
	}
	text, err := doc.without(servers, map[string]bool{in.Key: true})
	if err != nil {
		return nil, "", err
	}
	return doc.bytes(text), servedBy(args), nil
}
