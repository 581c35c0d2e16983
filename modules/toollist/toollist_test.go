package toollist_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"mcp-aggregator/modules/toollist"
)

func TestRead(t *testing.T) {
	for name, test := range map[string]struct {
		pages []string
		want  string // the tools, or the error
	}{
		"one page":                      {[]string{`{"tools":[{"name":"a"}, 1.0]}`}, `{"name":"a"} 1.0`},
		"several pages":                 {[]string{`{"tools":[1],"nextCursor":"\u0061"}`, `{"nextCursor":null,"tools":[2]}`}, "1 2"},
		"an empty cursor ends the list": {[]string{`{"tools":[1],"nextCursor":""}`}, "1"},
		"a page that was there before":  {[]string{`{"tools":[1],"nextCursor":"a"}`, `{"tools":[2],"nextCursor":"a"}`}, "1 2"},
		"no array":                      {[]string{`{"tools":{}}`}, "tools/list: the result has no array of tools"},
		"no answer":                     {nil, "tools/list: no more pages"},
	} {
		t.Run(name, func(t *testing.T) {
			left := test.pages
			tools, err := toollist.Read(func([]byte) ([]byte, error) {
				if len(left) == 0 {
					return nil, errors.New("no more pages")
				}
				page := left[0]
				left = left[1:]
				return []byte(page), nil
			}, slog.New(slog.DiscardHandler))
			var got []string
			for _, tool := range tools {
				got = append(got, string(tool))
			}
			if text := strings.Join(got, " "); err == nil && text != test.want || err != nil && err.Error() != test.want {
				t.Errorf("%q was read, and %v, want %q", text, err, test.want)
			}
		})
	}
}

func TestAnEndlessListIsCutShort(t *testing.T) {
	for name, test := range map[string]struct {
		page int // tools
		tool string
		want int
		log  string
	}{
		"by its bytes": {1, `"` + strings.Repeat("x", 10<<20) + `"`, 7, `level=WARN msg="tool list cut short: too many bytes" bytes=67108864 tools=7`},
		"by its tools": {30_000, "1", toollist.MaxTools, `level=WARN msg="tool list cut short: too many tools" tools=100000`},
		"by its pages": {1, "1", toollist.MaxPages, `level=WARN msg="tool list cut short: too many pages" pages=10000`},
	} {
		t.Run(name, func(t *testing.T) {
			page := `{"tools":[` + strings.TrimSuffix(strings.Repeat(test.tool+",", test.page), ",") + `],"nextCursor":%d}`
			pages := 0
			var log bytes.Buffer
			tools, err := toollist.Read(func([]byte) ([]byte, error) {
				pages++
				return fmt.Appendf(nil, page, pages), nil
			}, slog.New(slog.NewTextHandler(&log, nil)))
			if err != nil || len(tools) != test.want {
				t.Errorf("%d tools were read, %v, want %d", len(tools), err, test.want)
			}
			if _, said, _ := strings.Cut(log.String(), " "); said != test.log+"\n" {
				t.Errorf("logged %q, want %q", said, test.log)
			}
		})
	}
}

func TestAListThatChangesAgainAndAgainIsReadMoreSeldom(t *testing.T) {
	var pauses toollist.Pauses
	now := time.Now()
	var seen []time.Duration
	warned := 0
	for range 20 {
		pause, suspect := pauses.After(now)
		if suspect {
			warned++
		}
		seen = append(seen, pause)
		now = now.Add(pause + time.Millisecond)
	}
	if seen[2] != 0 || seen[3] != 10*time.Millisecond || seen[4] != 20*time.Millisecond || seen[19] != 10*time.Second || warned != 1 {
		t.Errorf("%v, %d warnings", seen, warned)
	}
	if pause, _ := pauses.After(now.Add(50 * time.Second)); pause != 10*time.Second {
		t.Errorf("after a while: %v", pause)
	}
	if pause, _ := pauses.After(now.Add(10 * time.Minute)); pause != 0 {
		t.Errorf("after a long while: %v", pause)
	}
}

func TestAListThatChangesNowAndThenIsReadAtOnce(t *testing.T) {
	var pauses toollist.Pauses
	now := time.Now()
	for i := range 100 {
		if pause, suspect := pauses.After(now); pause != 0 || suspect {
			t.Fatalf("reading %d: %v", i, pause)
		}
		now = now.Add(time.Second)
	}
}
