package simple_test

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcp-aggregator/modules/child"
	"mcp-aggregator/testutil"
)

func TestCallsToAServerThatIsNotReadyAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := start(t, testutil.Spawner{"one": after(time.Second, tool(answering))}, "one")
		a.Initialize()
		argument := strings.Repeat("x", megabyte)
		const calls = 100
		for n := range calls {
			a.Send(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"one:x","arguments":"%s"}}`, n, argument)
		}
		var refused, answered int
		for range calls {
			switch line := a.Next(); {
			case strings.Contains(line, `"message":"Server 'one' is not ready, and too many calls wait for it"`):
				refused++
			case strings.HasSuffix(line, `,"result":{}}`):
				answered++
			default:
				t.Errorf("answer %s", testutil.Shorten(line))
			}
		}
		if answered != 64 || refused != calls-64 {
			t.Errorf("%d answered, %d refused", answered, refused)
		}
	})
}

func TestWhatServersSayBeforeTheClientIsReadyIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one := testutil.NewManualChild(`[]`)
		a := start(t, testutil.Spawner{"one": one.Run}, "one")
		a.Send("%s", hello)
		a.Next()
		synctest.Wait()
		for n := range 40 {
			one.Say(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/message","params":{"n":%d,"data":"%s"}}`, n, strings.Repeat("x", megabyte)))
		}
		synctest.Wait()
		a.Send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		a.Send(`{"jsonrpc":"2.0","id":"end","method":"ping"}`)
		kept := 0
		for line := a.Next(); !strings.Contains(line, `"id":"end"`); line = a.Next() {
			kept++
		}
		if kept < 10 || kept > 16 {
			t.Errorf("%d messages of 1 MB were kept", kept)
		}
	})
}

func TestTheAnswersToABatchAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		result := strings.Repeat("x", 10*megabyte)
		a := start(t, testutil.Spawner{"one": tool(func(id string, out io.Writer) child.Exit {
			testutil.Say(out, `{"jsonrpc":"2.0","id":%s,"result":"%s"}`, id, result)
			return ""
		})}, "one")
		a.openSession("2025-03-26")
		a.tools()
		var calls []string
		for n := range 20 {
			calls = append(calls, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"one:x"}}`, n))
		}
		a.Send("[%s]", strings.Join(calls, ","))
		var results, errors int
		for _, element := range elements(a.Next()) {
			switch {
			case strings.HasSuffix(element, `"error":{"code":-32603,"message":"The answers to the batch are too large"}}`):
				errors++
			case strings.HasSuffix(element, result+`"}`):
				results++
			default:
				t.Errorf("answer %s", testutil.Shorten(element))
			}
		}
		if results != 6 || errors != 14 {
			t.Errorf("%d results, %d errors", results, errors)
		}
	})
}

func TestPingsAreAnsweredAgainAfterAQueueWasFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const ping = `{"jsonrpc":"2.0","id":"p","method":"ping"}`
		full, pinged, reads := make(chan bool), make(chan bool), make(chan bool)
		var pongs int
		program := testutil.Raw{Tools: `[{"name":"x"}]`, Handle: func(line, id string, out io.Writer) child.Exit {
			if strings.Contains(line, `"id":"p","result":{}`) {
				pongs++
				return ""
			}
			<-full // for the first call only: then it is closed
			testutil.Say(out, ping)
			testutil.Say(out, `{"jsonrpc":"2.0","id":%s,"result":{}}`, id)
			select {
			case <-pinged:
			default:
				close(pinged)
			}
			<-reads
			return ""
		}}.Run
		a := start(t, testutil.Spawner{"one": program}, "one")
		a.Initialize()
		a.tools()
		const calls = 70
		for n := range calls {
			a.Send(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"one:x","arguments":"%s"}}`, n, strings.Repeat("x", megabyte))
		}
		synctest.Wait()
		close(full)
		<-pinged // its answer finds no room
		synctest.Wait()
		close(reads)
		for range calls {
			a.Next()
		}
		synctest.Wait()
		if pongs < calls/2 {
			t.Errorf("%d pings were answered", pongs)
		}
	})
}
