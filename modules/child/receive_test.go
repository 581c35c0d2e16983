package child_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcp-aggregator/config"
	"mcp-aggregator/modules/child"
	"mcp-aggregator/testutil"
)

func TestACallIsForwardedByteForByte(t *testing.T) {
	tests := []struct{ name, line, tool, received string }{
		{"only id and name change", `{"jsonrpc":"2.0","id":"7","method":"tools/call","params":{"arguments":{"x":1e400,"name":"n","id":5},"name":"a:b"}}`, "b", `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"arguments":{"x":1e400,"name":"n","id":5},"name":"b"}}`},
		{"in whatever order", `{ "params" : {"x":9007199254740993,"name":"a:b","y":"\u0041"}, "id" : null , "method":"tools/call"}`, `b"<`, `{ "params" : {"x":9007199254740993,"name":"b\"<","y":"\u0041"}, "id" : 3 , "method":"tools/call"}`},
		{"without a name", `{"jsonrpc":"2.0","id":"7","method":"x","params":{"name":"a:b"}}`, "", `{"jsonrpc":"2.0","id":3,"method":"x","params":{"name":"a:b"}}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var received stdinRecorder
				c := startManager(t, testutil.Spawner{"a": received.record(scripted)}, child.Options{}, "a")
				c.initializeAll()
				want(t, "answer", c.sendLine("a", test.line, test.tool).await(t), emptyResult)
				lines := received.lines()
				want(t, "received", lines[len(lines)-1], test.received)
			})
		})
	}
}

func TestResponsesAreDeliveredByteForByte(t *testing.T) {
	for _, answer := range []string{
		`{"jsonrpc":"2.0","id":ID,"result":{"x":9007199254740993,"y":1e400,"b":1,"a":2,"a":3,"s":"\u0041\ud800<>&"}}`,
		`{"result" : null , "jsonrpc":"2.0", "id":ID, "extra":[1,2]}`,
		`{"jsonrpc":"2.0","id":ID,"error":{"code":1,"message":"","data":[1.0]}}`,
		`{"jsonrpc":"2.0","id":ID,"error":null}`,
		`  {"jsonrpc":"2.0","id":ID,"result":"` + strings.Repeat("x", 1<<20) + `"}`,
		`{"jsonrpc":"2.0","id":ID,"result":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}`,
	} {
		t.Run(fmt.Sprintf("%.60s", answer), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := startManager(t, testutil.Spawner{"a": respondsWith(answer)}, child.Options{}, "a")
				c.initializeAll()
				r := c.callTool("a", "x")
				if got := r.await(t); got != strings.ReplaceAll(answer, "ID", "0") {
					t.Errorf("%.200s", got)
				}
				synctest.Wait()
				want(t, "further outcomes", len(r.outcomesSoFar()), 0)
				c.wantLog()
			})
		})
	}
}

func TestNoiseIsWarnedAboutAndNeverDelivered(t *testing.T) {
	const noJSON, noMessage = `msg="line on standard output is not JSON" server=a line=`, `msg="line on standard output is not a JSON-RPC message" server=a line=`
	withoutRequest := func(id string) string {
		return `msg="response ignored: no request has its id" server=a id=` + id
	}
	twice := func(member string) string {
		return `msg="message ignored" server=a reason="` + member + ` occurs twice"`
	}
	tests := []struct{ name, noise, warning string }{
		{"a banner", `Server listening on stdio`, noJSON + `"Server listening on stdio"`},
		{"a blank line", ``, noJSON + `""`},
		{"escapes", "\x1b[31mred\x00", noJSON + `\x1b[31mred\x00`},
		{"an answer that is quoted", `Sent: {"jsonrpc":"2.0","id":ID,"result":1}`, noJSON + `"Sent: {\"jsonrpc\":\"2.0\",\"id\":3,\"result\":1}"`},
		{"half an answer without its id", `{"jsonrpc":"2.0","result":{}`, noJSON + `"{\"jsonrpc\":\"2.0\",\"result\":{}"`},
		{"garbage with the id of nothing", `{"id":99,"result":{x}}`, noJSON + `"{\"id\":99,\"result\":{x}}"`},
		{"a mark of the byte order", "\uFEFF" + `{"jsonrpc":"2.0","method":"x"}`, `msg="byte order mark on standard output ignored" server=a line="{\"jsonrpc\":\"2.0\",\"method\":\"x\"}"`},
		{"a secret", "key: hunter2", noJSON + `"key: [redacted]"`},
		{"a long line with a secret where it is cut", strings.Repeat("x", child.TailLineSize-3) + "hunter2", noJSON + strings.Repeat("x", child.TailLineSize-3) + `[re...`},
		{"a number", `3`, noMessage + `3`},
		{"an object that is no message", `{"level":"info"}`, noMessage + `"{\"level\":\"info\"}"`},
		{"an answer without result and error", `{"jsonrpc":"2.0","id":ID}`, noMessage + `"{\"jsonrpc\":\"2.0\",\"id\":3}"`},
		{"an answer without an id", `{"jsonrpc":"2.0","result":1}`, noMessage + `"{\"jsonrpc\":\"2.0\",\"result\":1}"`},
		{"a notification of no version", `{"method":"x"}`, `msg="message ignored" server=a reason="jsonrpc must be \"2.0\""`},
		{"a request of another version", `{"jsonrpc":"1.0","id":1,"method":"x"}`, `msg="message ignored" server=a reason="jsonrpc must be \"2.0\""`},
		{"a method that is a number", `{"jsonrpc":"2.0","id":1,"method":7}`, noMessage + `"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}"`},
		{"an answer to nothing", `{"jsonrpc":"2.0","id":99,"result":1}`, withoutRequest("99")},
		{"an answer to what was answered", `{"jsonrpc":"2.0","id":1,"result":1}`, withoutRequest("1")},
		{"an id that is a string", `{"jsonrpc":"2.0","id":"ID","result":1}`, withoutRequest(`"\"3\""`)},
		{"an id that is a fraction", `{"jsonrpc":"2.0","id":ID.5,"result":1}`, withoutRequest(`3.5`)},
		{"an id that is null", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}`, withoutRequest(`null`)},
		{"an id beyond all numbers", `{"jsonrpc":"2.0","id":ID00000000000000000000,"result":1}`, withoutRequest(`300000000000000000000`)},
		{"an id with a secret", `{"jsonrpc":"2.0","id":"hunter2","result":1}`, withoutRequest(`"\"[redacted]\""`)},
		{"two ids", `{"jsonrpc":"2.0","id":ID,"id":98,"result":1}`, twice("id")},
		{"two ids, escaped", `{"jsonrpc":"2.0","id":ID,"\u0069d":98,"result":1}`, twice("id")},
		{"two ids and not UTF-8", "{\"id\":ID,\"id\":98,\"result\":\"\xff\"}", `msg="message ignored" server=a reason="line is not valid UTF-8"`},
		{"a request that is not UTF-8", "{\"id\":ID,\"method\":\"ping\",\"x\":\"\xff\"}", `msg="message ignored" server=a reason="line is not valid UTF-8"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := startServers(t, testutil.Spawner{"a": respondsWith(test.noise, `{"jsonrpc":"2.0","id":ID,"result":{}}`)}, child.Options{}, serverWithSecret("a"))
				c.initializeAll()
				r := c.callTool("a", "x")
				want(t, "answer", r.await(t), emptyResult)
				c.stop()
				want(t, "further outcomes", len(r.outcomesSoFar()), 0)
				c.wantLog("level=WARN " + test.warning)
			})
		})
	}
}

func TestNotificationsOfAChildReachTheClientInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const first, second = `{"jsonrpc":"2.0","method":"notifications/x\u0007","params":{}}`, `{"params":null,"method":"notifications/progress","jsonrpc" : "2.0"}`
		c := startManager(t, testutil.Spawner{"a": respondsWith(first, second, `{"jsonrpc":"2.0","id":ID,"result":{}}`)}, child.Options{}, "a")
		c.initializeAll()
		want(t, "answer", c.callTool("a", "x").await(t), emptyResult)
		want(t, "passed", strings.Join(c.clientRecorder.lines(), "\n"), first+"\n"+second)
		c.stop()
		want(t, "ends", c.clientRecorder.ended, 1)
		c.wantLog()
	})
}

func TestWarningsAreLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := startManager(t, testutil.Spawner{"a": respondsWith("noise", `{"jsonrpc":"2.0","id":ID,"result":{}}`)}, child.Options{}, "a")
		c.initializeAll()
		began := time.Now()
		for time.Since(began) < 10*time.Minute {
			want(t, "answer", c.callTool("a", "x").await(t), emptyResult)
			time.Sleep(time.Second)
		}
		if warnings := strings.Count(c.log.String(), "\n"); warnings < 5 || warnings > 20 {
			t.Errorf("%d warnings in ten minutes", warnings)
		}
	})
}

func TestTheClientIsFlushedWhenNoMoreInputIsBuffered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := startManager(t, testutil.Spawner{"a": scripted}, child.Options{}, "a")
		c.initializeAll()
		synctest.Wait()
		before := c.clientRecorder.flushCount()
		c.callTool("a", "x").await(t)
		synctest.Wait()
		want(t, "flushes for one answer", c.clientRecorder.flushCount()-before, 1)
		before = c.clientRecorder.flushCount()
		pending := c.callTool("a", "hang")
		c.callTool("a", "exit exit status 3")
		pending.await(t)
		synctest.Wait()
		if c.clientRecorder.flushCount() == before {
			t.Error("no flush after the child died")
		}
	})
}

func TestMessagesThatArriveTogetherAreFlushedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const notification = `{"jsonrpc":"2.0","method":"notifications/x"}` + "\n"
		c := startManager(t, testutil.Spawner{"a": respondsWith(notification + notification + `{"jsonrpc":"2.0","id":ID,"result":{}}`)}, child.Options{}, "a")
		c.initializeAll()
		synctest.Wait()
		before := c.clientRecorder.flushCount()
		want(t, "answer", c.callTool("a", "x").await(t), emptyResult)
		synctest.Wait()
		want(t, "flushes", c.clientRecorder.flushCount()-before, 1)
	})
}

func TestAFloodDelaysNoOtherChild(t *testing.T) {
	floods := map[string]func(stdio testutil.Stdio) (io.Writer, string){
		"notifications": func(stdio testutil.Stdio) (io.Writer, string) {
			return stdio.Out, `{"jsonrpc":"2.0","method":"notifications/progress","params":{}}`
		},
		"noise": func(stdio testutil.Stdio) (io.Writer, string) { return stdio.Out, `garbage hunter2` },
		"pings": func(stdio testutil.Stdio) (io.Writer, string) {
			return stdio.Out, `{"jsonrpc":"2.0","id":1,"method":"ping"}`
		},
		"requests": func(stdio testutil.Stdio) (io.Writer, string) {
			return stdio.Out, `{"jsonrpc":"2.0","id":1,"method":"x"}`
		},
		"standard error": func(stdio testutil.Stdio) (io.Writer, string) { return stdio.Err, `log line of hunter2` },
		"answers nowhere": func(stdio testutil.Stdio) (io.Writer, string) {
			return stdio.Out, `{"jsonrpc":"2.0","id":99,"result":{}}`
		},
	}
	for name, flood := range floods {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				program := func(_ context.Context, stdio testutil.Stdio) child.Exit {
					// It does not read during the flood, so our responses are queued.
					return testutil.Raw{Handle: func(received, id string, out io.Writer) child.Exit {
						if !strings.Contains(received, "tools/call") {
							return ""
						}
						w, line := flood(stdio)
						for range 200 {
							testutil.Say(w, "%s", strings.Repeat(line+"\n", 50)+line)
						}
						testutil.Say(out, `{"jsonrpc":"2.0","id":%s,"result":{}}`, id)
						return ""
					}}.Run(t.Context(), stdio)
				}
				c := startServers(t, testutil.Spawner{"a": program, "b": scripted}, child.Options{}, serverWithSecret("a"), config.ServerConfig{Key: "b"})
				c.initializeAll()
				flooding := c.callTool("a", "x")
				for range 10 {
					want(t, "answer of the other", c.callTool("b", "x").await(t), emptyResult)
				}
				want(t, "answer after the flood", flooding.await(t), emptyResult)
				want(t, "state", c.status("a").State, child.Running)
				if warnings := strings.Count(c.log.String(), "\n"); warnings > 10 {
					t.Errorf("%d warnings", warnings)
				}
			})
		})
	}
}

func TestUnusualResponsesAreDelivered(t *testing.T) {
	for name, answer := range map[string]string{
		"an id spelled with a point":        `{"jsonrpc":"2.0","id":ID.0,"result":1}`,
		"an id spelled with an exponent":    `{"jsonrpc":"2.0","id":IDe0,"result":1}`,
		"a result beside an error of null":  `{"jsonrpc":"2.0","id":ID,"result":1,"error":null}`,
		"an error beside a result of null":  `{"jsonrpc":"2.0","id":ID,"result":null,"error":{"code":1,"message":"no"}}`,
		"two results, which routing passes": `{"jsonrpc":"2.0","id":ID,"result":1,"result":2}`,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := startManager(t, testutil.Spawner{"a": respondsWith(answer)}, child.Options{}, "a")
				c.initializeAll()
				want := strings.NewReplacer("ID.0", "0", "IDe0", "0", "ID", "0").Replace(answer)
				if got := c.callTool("a", "x").await(t); got != want {
					t.Errorf("got %s, want %s", got, want)
				}
				c.wantLog()
			})
		})
	}
}
