package remote_test

import (
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"mcp-aggregator/modules/remote"
)

const noLimit = 1 << 20

func TestEvents(t *testing.T) {
	for name, test := range map[string]struct {
		text  string
		limit int
		want  []remote.Event
	}{
		"nothing":                             {"", noLimit, nil},
		"one":                                 {"data: {}\n\n", noLimit, []remote.Event{{Data: "{}"}}},
		"no space behind the colon":           {"data:{}\n\n", noLimit, []remote.Event{{Data: "{}"}}},
		"one space of two is data":            {"data:  x\n\n", noLimit, []remote.Event{{Data: " x"}}},
		"several lines":                       {"data: {\ndata\ndata: }\n\n", noLimit, []remote.Event{{Data: "{\n\n}"}}},
		"carriage returns":                    {"event: message\r\ndata: {}\r\n\r\n", noLimit, []remote.Event{{Name: "message", Data: "{}"}}},
		"a byte order mark":                   {"\uFEFFdata: {}\n\n", noLimit, []remote.Event{{Data: "{}"}}},
		"comments and unknown fields":         {": ping\n\nfuture: x\n: y\ndata: {}\n\n", noLimit, []remote.Event{{Data: "{}"}}},
		"an id and a time without data":       {"id: 7\nretry: 10\n\n", noLimit, []remote.Event{{ID: "7", Retry: "10"}}},
		"no empty line at the end":            {"id: 7\ndata: {}\n", noLimit, []remote.Event{{ID: "7", Data: "{}"}}},
		"no end of the last line":             {"data: {}", noLimit, []remote.Event{{Data: "{}"}}},
		"an id whose event never came is not": {"id: 7\n", noLimit, nil},
		"just the limit":                      {"data: 12345\n\n", 5, []remote.Event{{Data: "12345"}}},
		"one byte more":                       {"data: 123456\n\ndata: 1\n\n", 5, []remote.Event{{Data: "12345", Cut: true}, {Data: "1"}}},
		"many empty lines":                    {"data: 12345\ndata\ndata\ndata\n\n", 5, []remote.Event{{Data: "12345", Cut: true}}},
		"more in several lines":               {"data: 123\ndata: 456\n\n", 5, []remote.Event{{Data: "123\n4", Cut: true}}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := remote.ReadEvents(strings.NewReader(test.text), test.limit); !slices.Equal(got, test.want) {
				t.Errorf("%+v was read, want %+v", got, test.want)
			}
		})
	}
}

func TestEventsAreReadAsTheyWereWritten(t *testing.T) {
	line := rapid.StringMatching(`[a-z:{} "ä]{0,40}`)
	rapid.Check(t, func(t *rapid.T) {
		var text strings.Builder
		var want []remote.Event
		for range rapid.IntRange(0, 5).Draw(t, "events") {
			end := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "end")
			lines := rapid.SliceOfN(line, 1, 3).Draw(t, "lines")
			id := rapid.StringMatching(`[a-z0-9]{0,5}`).Draw(t, "id")
			text.WriteString(": comment" + end + "id: " + id + end)
			for _, l := range lines {
				text.WriteString("data: " + l + end)
			}
			text.WriteString(end)
			want = append(want, remote.Event{ID: id, Data: strings.Join(lines, "\n")})
		}
		if got := remote.ReadEvents(iotest.OneByteReader(strings.NewReader(text.String())), noLimit); !slices.Equal(got, want) {
			t.Fatalf("%q was read as %+v, want %+v", text.String(), got, want)
		}
	})
}

func FuzzEvents(f *testing.F) {
	f.Add("id: 7\r\ndata: {\ndata: }\n\n: x\nretry: 1\n\n", 5)
	f.Add("\uFEFFdata\n\n\ndata:"+strings.Repeat("x", 100), 50)
	f.Fuzz(func(t *testing.T, text string, limit int) {
		limit = min(max(limit, 1), noLimit)
		whole := remote.ReadEvents(strings.NewReader(text), limit)
		if pieces := remote.ReadEvents(iotest.OneByteReader(strings.NewReader(text)), limit); !slices.Equal(whole, pieces) {
			t.Errorf("%q was read as %+v, in pieces as %+v", text, whole, pieces)
		}
		for _, ev := range whole {
			if len(ev.Data) > limit {
				t.Errorf("%d bytes were read, the limit is %d", len(ev.Data), limit)
			}
		}
	})
}
