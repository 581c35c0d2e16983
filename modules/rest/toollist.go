package rest

import (
	"context"
	"strconv"
	"sync"
	"time"

	"mcp-aggregator/modules/servers"
	"mcp-aggregator/modules/wire"
)

// toolListCache caches the list of all tools: it is read and rendered once for all
// requests, until it changes. Responses share the bytes.
type toolListCache struct {
	tools Tools

	mu   sync.Mutex
	last *toolList
	next *toolList // the one being built; nil if none is
}

// toolList is one version of the list. err and byServer are set when built is closed.
type toolList struct {
	version  uint64
	built    chan struct{}
	err      error
	byServer map[string]*renderedTools // by server id
}

// readTimeout bounds the wait for a store that does not answer.
const readTimeout = 30 * time.Second

// load returns the current list.
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

// currentOrNext returns the list of that version, or the one that is being built. If mine
// is true, the caller must build it.
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

// build builds a list. It ignores the cancellation of ctx, because others may wait for the
// list.
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

// renderedTools is the JSON array of one server's tools.
type renderedTools struct {
	count           int
	text            []byte
	flags           []int         // the offsets of the flags available in text
	unavailableText func() []byte // the array while the server is not connected
}

// textFor returns the array with the flag available set so.
func (r *renderedTools) textFor(available bool) []byte {
	if available {
		return r.text
	}
	return r.unavailableText()
}

// renderUnavailable returns text with all flags set to false.
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

// toolOverhead estimates the size of a toolBody without its texts.
const toolOverhead = 100

// appendTool appends a toolBody with the schema as it is stored, and returns the offset of
// the flag available.
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
