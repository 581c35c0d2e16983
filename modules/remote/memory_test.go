package remote_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"mcp-aggregator/modules/remote"
	"mcp-aggregator/modules/servers"
)

const mega = 1 << 20

// sendsLongLine has a server begin its stream with a line of that many megabytes, and end
// it with a notification.
func sendsLongLine(begin string, megabytes int) func(w http.ResponseWriter, r *http.Request, _ string) bool {
	piece := []byte(strings.Repeat("x", mega))
	return func(w http.ResponseWriter, r *http.Request, _ string) bool {
		if r.Method != http.MethodGet {
			return false
		}
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, begin)
		for range megabytes {
			_, _ = w.Write(piece)
		}
		writeEvent(w, "x")
		writeEvent(w, `{"jsonrpc":"2.0","method":"notifications/x"}`)
		<-r.Context().Done()
		return true
	}
}

func TestALineWithoutAnEndTakesNoMoreMemoryThanAMessage(t *testing.T) {
	const limit, sent = 32 * mega, 96
	for name, test := range map[string]struct {
		begin string
		most  uint64 // bytes that are allocated for it in total
	}{
		"of data":      {"data: ", 3 * limit},
		"of a comment": {": ", 2 * mega},
		"of an id":     {"id: ", 2 * mega},
		"of no field":  {"", 2 * mega},
	} {
		t.Run(name, func(t *testing.T) {
			b := (&backend{intercept: sendsLongLine(test.begin, sent)}).start(t)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			c, err := dial(t, servers.HTTP, b.url(servers.HTTP), dialSettings{options: optionsOf(limit)})
			if err != nil {
				t.Fatal(err)
			}
			await(t, "the message after it", c.messages)
			runtime.ReadMemStats(&after)
			if took := after.TotalAlloc - before.TotalAlloc; took > test.most+mega {
				t.Errorf("%d MB were allocated", took/mega)
			}
		})
	}
}

// The call fails although the response does not end.
func TestAnAnswerWithoutAnEndFails(t *testing.T) {
	for name, answer := range map[string]string{
		"of one line":     "id: 1\ndata: " + strings.Repeat("x", 2*mega),
		"of many lines":   strings.Repeat("data: "+strings.Repeat("x", 1000)+"\n", 2000),
		"with our own id": `data: {"jsonrpc":"2.0","id":1048577,"result":"` + strings.Repeat("x", 2*mega),
	} {
		t.Run(name, func(t *testing.T) {
			b := (&backend{handle: func(x exchange) {
				fmt.Fprint(x.w, answer)
				x.w.(http.Flusher).Flush()
				<-t.Context().Done()
			}}).start(t)
			c, err := dial(t, servers.HTTP, b.url(servers.HTTP), dialSettings{options: optionsOf(mega)})
			if err != nil {
				t.Fatal(err)
			}
			if got := c.failure(c.callTool("x")).Message; !strings.Contains(got, "a message is longer than 1048576 bytes") {
				t.Error(got)
			}
		})
	}
}

// One server sends the beginning of a response of 5 MB: it has a buffer of 8 MB.
func TestWhatAllSessionsReadTogetherIsBounded(t *testing.T) {
	for way, by := range transports {
		t.Run(way, func(t *testing.T) {
			goOn := make(chan struct{})
			fill := strings.Repeat("x", 5*mega)
			slow := (&backend{documents: by.documents, handle: func(x exchange) {
				text := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":"%s"}`, x.id, fill)
				if by.documents {
					fmt.Fprint(x.w, text[:len(text)-2])
					x.w.(http.Flusher).Flush()
					<-goOn
					fmt.Fprint(x.w, text[len(text)-2:])
					return
				}
				fmt.Fprintf(x.w, "data: %s", text)
				x.w.(http.Flusher).Flush()
				<-goOn
				fmt.Fprint(x.w, "\n\n")
			}}).start(t)
			b := (&backend{documents: by.documents, handle: func(x exchange) {
				x.send(`{"jsonrpc":"2.0","id":%s,"result":"%s"}`, x.id, fill)
			}}).start(t)
			dialers := remote.NewDialers(slog.New(slog.DiscardHandler), remote.Options{MaxMessage: 8 * mega, MaxReading: 13 * mega})
			one, err := dialWith(t, dialers, servers.HTTP, slow.url(servers.HTTP), dialSettings{})
			if err != nil {
				t.Fatal(err)
			}
			other, err := dialWith(t, dialers, by.transport, b.url(by.transport), dialSettings{})
			if err != nil {
				t.Fatal(err)
			}
			begun := one.callTool("x")
			eventually(t, "its beginning is read", func() bool { return remote.Reading(dialers[servers.HTTP]) == 8*mega })
			eventually(t, "there is no memory left", func() bool {
				o := await(t, "the outcome", other.callTool("x"))
				return o.err != nil && strings.Contains(o.err.Message, "take too much memory")
			})
			close(goOn)
			one.result(begun)
			eventually(t, "there is memory again", func() bool { return await(t, "the outcome", other.callTool("x")).err == nil })
			eventually(t, "nothing is held", func() bool { return remote.Reading(dialers[servers.HTTP]) == 0 })
		})
	}
}

// eventually calls is until it returns true.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for begin := time.Now(); !is(); time.Sleep(time.Millisecond) {
		if time.Since(begin) > testTimeout {
			t.Fatalf("never: %s", what)
		}
	}
}
