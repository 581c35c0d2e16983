package service_test

import (
	"encoding/json"
	"strings"
)

// progressInOrder reads the raw messages, because the SDK's client drops progress that it
// has not handled when the result arrives.
func (r *realService) progressInOrder() {
	t := r.t
	c := r.connect("test", "{}")
	for name := range r.servers {
		if !strings.HasPrefix(name, "js-") {
			continue
		}
		e := c.exchange(`{"jsonrpc":"2.0","id":"long","method":"tools/call","params":{"name":"` + name + `.trigger-long-running-operation",` +
			`"arguments":{"duration":0.2,"steps":4},"_meta":{"progressToken":"my token"}}}`)
		for want := 1; want <= 4; want++ {
			line := e.next()
			var said struct {
				Method string
				Params struct {
					ProgressToken string
					Progress      int
				}
			}
			if err := json.Unmarshal([]byte(line), &said); err != nil || said.Method != "notifications/progress" ||
				said.Params.Progress != want || said.Params.ProgressToken != "my token" {
				t.Errorf("%s, step %d: %s", name, want, line)
			}
		}
		if line := e.next(); !strings.Contains(line, `"id":"long"`) || !strings.Contains(line, "completed") {
			t.Errorf("%s: the answer is %s", name, line)
		}
		e.close()
	}
}

// asking are tools that send requests to the client, and a part of their result.
var asking = map[string][]struct{ tool, arguments, part string }{
	"js": {
		{"trigger-elicitation-request", `{}`, "Ada"},
		{"trigger-sampling-request", `{"prompt":"p","maxTokens":10}`, "sampled"},
	},
	"go-every": {{"elicit (form)", `{}`, "Ada"}, {"sample", `{}`, "sampled"}},
}

func (r *realService) askAll(do func(tool, arguments, part string)) {
	for name := range r.servers {
		kind := name
		if strings.HasPrefix(name, "js-") {
			kind = "js"
		}
		for _, a := range asking[kind] {
			do(name+"."+a.tool, a.arguments, a.part)
		}
	}
}

// callerIsAsked fails if another client with the same capabilities gets the request.
func (r *realService) callerIsAsked() {
	t := r.t
	h, other := r.host("test", true), r.host("other", true)
	calls := int32(0)
	r.askAll(func(tool, arguments, part string) {
		calls++
		if got := h.result(tool, arguments); !strings.Contains(got, part) {
			t.Errorf("%s: %s, want %q in it", tool, got, part)
		}
	})
	if h.asked.Load() != calls || other.asked.Load() != 0 {
		t.Errorf("the caller was asked %d times in %d calls, another %d times", h.asked.Load(), calls, other.asked.Load())
	}
}

// unableIsNotAsked expects an error for a client without the capability.
func (r *realService) unableIsNotAsked() {
	t := r.t
	h, other := r.host("test", false), r.host("other", true)
	r.askAll(func(tool, arguments, part string) {
		result, err := h.call(tool, arguments)
		if err == nil && !result.IsError {
			t.Errorf("%s succeeds: %s", tool, plain(t, result))
		}
	})
	if other.asked.Load() != 0 {
		t.Errorf("another client was asked %d times", other.asked.Load())
	}
}
