package remote_test

import (
	"strings"
	"testing"
)

func TestAnAnswerThatIsTooLongFailsItsCallAlone(t *testing.T) {
	for way, by := range transports {
		t.Run(way, func(t *testing.T) {
			b := (&backend{documents: by.documents, handle: func(x exchange) {
				fill := "x"
				if strings.Contains(x.line, `"long"`) {
					fill = strings.Repeat("x", 5000)
				}
				x.send(`{"jsonrpc":"2.0","id":%s,"result":{"content":[],"x":"%s"}}`, x.id, fill)
			}}).start(t)
			c, err := dial(t, by.transport, b.url(by.transport), dialSettings{options: optionsOf(4000)})
			if err != nil {
				t.Fatal(err)
			}
			if err := c.failure(c.callTool("long")); err.Unsent || !strings.Contains(err.Message, "longer than 4000 bytes") {
				t.Errorf("it failed with %q", err.Message)
			}
			c.result(c.callTool("short"))
		})
	}
}

func TestAnAnswerOfTwentyMegabytesPasses(t *testing.T) {
	text := strings.Repeat("0123456789abcdef", 20<<16)
	for way, by := range transports {
		t.Run(way, func(t *testing.T) {
			b := (&backend{documents: by.documents, handle: func(x exchange) {
				x.send(`{"jsonrpc":"2.0","id":%s,"result":"%s"}`, x.id, text)
			}}).start(t)
			c := connect(t, by.transport, b.url(by.transport))
			if got := c.result(c.callTool("x")); !strings.Contains(got, text) {
				t.Errorf("%d bytes came", len(got))
			}
		})
	}
}
