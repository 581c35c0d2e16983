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
	tests := []struct{ name, line, tool, heard string }{
		{"only id and name change", `{"jsonrpc":"2.0","id":"7","method":"tools/call","params":{"arguments":{"x":1e400,"name":"n","id":5},"name":"a:b"}}`, "b", `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"arguments":{"x":1e400,"name":"n","id":5},"name":"b"}}`},
		{"in whatever order", `{ "params" : {"x":9007199254740993,"name":"a:b","y":"\u0041"}, "id" : null , "method":"tools/call"}`, `b"<`, `{ "params" : {"x":9007199254740993,"name":"b\"<","y":"\u0041"}, "id" : 3 , "method":"tools/call"}`},
		{"without a name", `{"jsonrpc":"2.0","id":"7","method":"x","params":{"name":"a:b"}}`, "", `{"jsonrpc":"2.0","id":3,"method":"x","params":{"name":"a:b"}}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var heard ear
				c := muster(t, testutil.Spawner{"a": heard.on(obeys)}, child.Options{}, "a")
				c.greet()
				want(t, "answer", c.send("a", test.line, test.tool).await(t), done)
				lines := heard.lines()
				want(t, "heard", lines[len(lines)-1], test.heard)
			})
		})
	}
}

func TestAnswersAreDeliveredAsTheyStand(t *testing.T) {
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
				c := muster(t, testutil.Spawner{"a": says(answer)}, child.Options{}, "a")
				c.greet()
				r := c.ask("a", "x")
				if got := r.await(t); got != strings.ReplaceAll(answer, "ID", "0") {
					t.Errorf("%.200s", got)
				}
				synctest.Wait()
				want(t, "further outcomes", len(r.soFar()), 0)
				c.wantLog()
			})
		})
	}
}

func TestNoiseIsAWarningAndIsNeverDelivered(t *testing.T) {
	const noJSON, noMessage = `msg="line on standard output is not JSON" server=a line=`, `msg="line on standard output is not a JSON-RPC message" server=a line=`
	unasked := func(id string) string {
		return `msg="answer ignored: nothing was asked under its id" server=a id=` + id
	}
	twice := func(member string) string {
		return `msg="message ignored" server=a reason="` + member + ` stands twice"`
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
		{"an answer to nothing", `{"jsonrpc":"2.0","id":99,"result":1}`, unasked("99")},
		{"an answer to what was answered", `{"jsonrpc":"2.0","id":1,"result":1}`, unasked("1")},
		{"an id that is a string", `{"jsonrpc":"2.0","id":"ID","result":1}`, unasked(`"\"3\""`)},
		{"an id that is a fraction", `{"jsonrpc":"2.0","id":ID.5,"result":1}`, unasked(`3.5`)},
		{"an id that is null", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}`, unasked(`null`)},
		{"an id beyond all numbers", `{"jsonrpc":"2.0","id":ID00000000000000000000,"result":1}`, unasked(`300000000000000000000`)},
		{"an id with a secret", `{"jsonrpc":"2.0","id":"hunter2","result":1}`, unasked(`"\"[redacted]\""`)},
		{"two ids", `{"jsonrpc":"2.0","id":ID,"id":98,"result":1}`, twice("id")},
		{"two ids, escaped", `{"jsonrpc":"2.0","id":ID,"\u0069d":98,"result":1}`, twice("id")},
		{"two ids and not UTF-8", "{\"id\":ID,\"id\":98,\"result\":\"\xff\"}", `msg="message ignored" server=a reason="line is not valid UTF-8"`},
		{"a request that is not UTF-8", "{\"id\":ID,\"method\":\"ping\",\"x\":\"\xff\"}", `msg="message ignored" server=a reason="line is not valid UTF-8"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := musterServers(t, testutil.Spawner{"a": says(test.noise, `{"jsonrpc":"2.0","id":ID,"result":{}}`)}, child.Options{}, secretive("a"))
				c.greet()
				r := c.ask("a", "x")
				want(t, "answer", r.await(t), done)
				c.dismiss()
				want(t, "further outcomes", len(r.soFar()), 0)
				c.wantLog("level=WARN " + test.warning)
			})
		})
	}
}

func TestNotificationsOfAChildReachTheClientInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const first, second = `{"jsonrpc":"2.0","method":"notifications/x\u0007","params":{}}`, `{"params":null,"method":"notifications/progress","jsonrpc" : "2.0"}`
		c := muster(t, testutil.Spawner{"a": says(first, second, `{"jsonrpc":"2.0","id":ID,"result":{}}`)}, child.Options{}, "a")
		c.greet()
		want(t, "answer", c.ask("a", "x").await(t), done)
		want(t, "passed", strings.Join(c.flushes.lines(), "\n"), first+"\n"+second)
		c.dismiss()
		want(t, "left", c.flushes.left, 1)
		c.wantLog()
	})
}

func TestWarningsOfAChildAreFew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := muster(t, testutil.Spawner{"a": says("noise", `{"jsonrpc":"2.0","id":ID,"result":{}}`)}, child.Options{}, "a")
		c.greet()
		began := time.Now()
		for time.Since(began) < 10*time.Minute {
			want(t, "answer", c.ask("a", "x").await(t), done)
			time.Sleep(time.Second)
		}
		if warnings := strings.Count(c.log.String(), "\n"); warnings < 5 || warnings > 20 {
			t.Errorf("%d warnings in ten minutes", warnings)
		}
	})
}

func TestTheClientSeesAnswersAsSoonAsNothingMoreIsAtHand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := muster(t, testutil.Spawner{"a": obeys}, child.Options{}, "a")
		c.greet()
		synctest.Wait()
		before := c.flushes.sum()
		c.ask("a", "x").await(t)
		synctest.Wait()
		want(t, "flushes for one answer", c.flushes.sum()-before, 1)
		before = c.flushes.sum()
		pending := c.ask("a", "hang")
		c.ask("a", "exit exit status 3")
		pending.await(t)
		synctest.Wait()
		if c.flushes.sum() == before {
			t.Error("no flush after the child died")
		}
	})
}

func TestMessagesThatComeTogetherAreFlushedTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const notification = `{"jsonrpc":"2.0","method":"notifications/x"}` + "\n"
		c := muster(t, testutil.Spawner{"a": says(notification + notification + `{"jsonrpc":"2.0","id":ID,"result":{}}`)}, child.Options{}, "a")
		c.greet()
		synctest.Wait()
		before := c.flushes.sum()
		want(t, "answer", c.ask("a", "x").await(t), done)
		synctest.Wait()
		want(t, "flushes", c.flushes.sum()-before, 1)
	})
}

func TestAFloodDelaysNobody(t *testing.T) {
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
					// It reads nothing while it floods: our answers are in its way, too.
					return testutil.Raw{Handle: func(heard, id string, out io.Writer) child.Exit {
						if !strings.Contains(heard, "tools/call") {
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
				c := musterServers(t, testutil.Spawner{"a": program, "b": obeys}, child.Options{}, secretive("a"), config.ServerConfig{Key: "b"})
				c.greet()
				flooding := c.ask("a", "x")
				for range 10 {
					want(t, "answer of the other", c.ask("b", "x").await(t), done)
				}
				want(t, "answer after the flood", flooding.await(t), done)
				want(t, "state", c.status("a").State, child.Running)
				if warnings := strings.Count(c.log.String(), "\n"); warnings > 10 {
					t.Errorf("%d warnings", warnings)
				}
			})
		})
	}
}

func TestAnswersThatAreReadAllTheSame(t *testing.T) {
	for name, answer := range map[string]string{
		"an id spelled with a point":        `{"jsonrpc":"2.0","id":ID.0,"result":1}`,
		"an id spelled with an exponent":    `{"jsonrpc":"2.0","id":IDe0,"result":1}`,
		"a result beside an error of null":  `{"jsonrpc":"2.0","id":ID,"result":1,"error":null}`,
		"an error beside a result of null":  `{"jsonrpc":"2.0","id":ID,"result":null,"error":{"code":1,"message":"no"}}`,
		"two results, which routing passes": `{"jsonrpc":"2.0","id":ID,"result":1,"result":2}`,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := muster(t, testutil.Spawner{"a": says(answer)}, child.Options{}, "a")
				c.greet()
				want := strings.NewReplacer("ID.0", "0", "IDe0", "0", "ID", "0").Replace(answer)
				if got := c.ask("a", "x").await(t); got != want {
					t.Errorf("got %s, want %s", got, want)
				}
				c.wantLog()
			})
		})
	}
}
