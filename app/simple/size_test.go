package simple_test

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"mcp-aggregator/modules/child"
	"mcp-aggregator/testutil"
)

const megabyte = 1 << 20

func TestAnArgumentOf64MBPasses(t *testing.T) {
	a := start(t, testutil.Spawner{"one": testutil.Raw{Tools: `[{"name":"x"}]`, Handle: echo}.Run}, "one")
	a.Initialize()
	a.tools()
	argument := strings.Repeat("x", 64*megabyte)
	a.Send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"one:x","arguments":"%s"}}`, argument)
	want := `{"jsonrpc":"2.0","id":1,"result":{"name":"x","arguments":"` + argument + `"}}`
	if got := a.Next(); got != want {
		t.Errorf("%d bytes came back, not %d: %s", len(got), len(want), testutil.Shorten(got))
	}
}

// echo returns the params of a call as its result.
func echo(line, id string, out io.Writer) child.Exit {
	_, params, _ := strings.Cut(line, `"params":`)
	testutil.Say(out, `{"jsonrpc":"2.0","id":%s,"result":%s`, id, params)
	return ""
}

func TestALineOf300MBIsDroppedAndItsMemoryGivenBack(t *testing.T) {
	const size = 300 * megabyte
	a := start(t, testutil.Spawner{"one": tool(func(id string, out io.Writer) child.Exit {
		_, _ = io.WriteString(out, `{"jsonrpc":"2.0","result":"`)
		for range size / megabyte {
			_, _ = out.Write(megabyteOfText)
		}
		testutil.Say(out, `","id":%s}`, id)
		return ""
	})}, "one")
	a.Initialize()
	a.tools()
	before := inUse()
	for n := range 2 {
		a.Send(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"one:x"}}`, n)
		a.expect(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"error":{"code":-32603,"message":"Server 'one' sent a message of %d bytes, more than the limit of %d bytes"}}`,
			n, size+len(`{"jsonrpc":"2.0","result":"","id":3}`), 256*megabyte))
	}
	for end := time.Now().Add(time.Minute); inUse() > before+10*megabyte; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d bytes are in use, before it were %d", inUse(), before)
		}
	}
}

var megabyteOfText = []byte(strings.Repeat("x", megabyte))

// inUse returns the memory, in bytes, that was not returned to the system, without a
// garbage collection.
func inUse() uint64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapSys - stats.HeapReleased
}
