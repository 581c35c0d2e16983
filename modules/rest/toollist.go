package rest

import (
	"context"
	"strconv"
	"sync"
	"time"

	"mcp-aggregator/modules/servers"
	"mcp-aggregator/modules/wire"
)

// toolListCache are all tools as they are listed: read and rendered once for all who ask,
// until they change. Answers share the bytes.
type toolListCache struct {
	tools Tools

	mu   sync.Mutex
	last *toolList
	next *toolList // is being made; nil if none is
}

// toolList is one list. Its err and byServer are there once it is made.
type toolList struct {
	version  uint64
	built    chan struct{}
	err      error
	byServer map[string]*renderedTools // by the server's id
}

// readTimeout bounds the wait for a store that does not answer.
const readTimeout = 30 * time.Second

// load returns the list as it is now.
func (l *toolListCache) load(ctx context.Context) (*toolList, error) {
	for {
		version := l.tools.Version()
		list, mine := l.currentOrNext(version)
		if mine {
			l.build(ctx, list)
		}
		select {
		case <-list.built:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if list.version == version {
			return list, list.err
		}
	}
}

// currentOrNext returns the list of that version, or one that is being made; mine says that
// the caller is to make it.
func (l *toolListCache) currentOrNext(version uint64) (list *toolList, mine bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.last != nil && l.last.version == version:
		return l.last, false
	case l.next != nil:
		return l.next, false
	}
	l.next = &toolList{version: version, built: make(chan struct{})}
	return l.next, true
}

// build makes a list, also for others: who has asked first may leave.
func (l *toolListCache) build(ctx context.Context, list *toolList) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readTimeout)
	defer cancel()
	tools, err := l.tools.Tools(ctx)
	list.byServer, list.err = renderTools(tools), err
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.next = nil; err == nil {
		l.last = list
	}
	close(list.built)
}

// renderedTools is the array of one server's tools, which can be called.
type renderedTools struct {
	count           int
	text            []byte
	flags           []int         // where text says that one is available
	unavailableText func() []byte // the same while they cannot be called
}

func (r *renderedTools) textFor(available bool) []byte {
	if available {
		return r.text
	}
	return r.unavailableText()
}

// renderUnavailable is text with all flags turned.
func (r *renderedTools) renderUnavailable() []byte {
	out, done := make([]byte, 0, len(r.text)+len(r.flags)), 0
	for _, at := range r.flags {
		out = append(append(out, r.text[done:at]...), "false"...)
		done = at + len("true")
	}
	return append(out, r.text[done:]...)
}

// renderTools returns the array of each server.
func renderTools(tools []servers.Tool) map[string]*renderedTools {
	sizes := make(map[string]int)
	for i := range tools {
		t := &tools[i]
		sizes[t.Server] += toolOverhead + len(t.Namespaced) + len(t.Name) + len(t.Description) + len(t.InputSchema)
	}
	all := make(map[string]*renderedTools, len(sizes))
	for i := range tools {
		t := &tools[i]
		r := all[t.Server]
		if r == nil {
			r = &renderedTools{text: append(make([]byte, 0, sizes[t.Server]), '[')}
			r.unavailableText = sync.OnceValue(r.renderUnavailable)
			all[t.Server] = r
		} else {
			r.text = append(r.text, ',')
		}
		var flag int
		r.text, flag = appendTool(r.text, t, true)
		r.flags, r.count = append(r.flags, flag), r.count+1
	}
	for _, r := range all {
		r.text = append(r.text, ']')
	}
	return all
}

// toolOverhead is what a toolBody has beside its texts, or a little more.
const toolOverhead = 100

// appendTool appends a toolBody, its schema as it is stored, and tells where it says
// whether the tool is available.
func appendTool(to []byte, t *servers.Tool, available bool) (out []byte, flag int) {
	out = wire.AppendQuoted(append(to, `{"name":`...), t.Namespaced)
	out = wire.AppendQuoted(append(out, `,"original_name":`...), t.Name)
	out = wire.AppendQuoted(append(out, `,"description":`...), t.Description)
	out = append(out, `,"available":`...)
	flag = len(out)
	out = strconv.AppendBool(out, available)
	if t.InputSchema != nil {
		out = append(append(out, `,"input_schema":`...), t.InputSchema...)
	}
	return append(out, '}'), flag
}
