package toollist_test

import (
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
	pages := 0
	tools, err := toollist.Read(func([]byte) ([]byte, error) {
		pages++
		return fmt.Appendf(nil, `{"tools":[%d],"nextCursor":%d}`, pages, pages), nil
	}, slog.New(slog.DiscardHandler))
	if err != nil || len(tools) != toollist.MaxPages {
		t.Errorf("%d tools were read, %v", len(tools), err)
	}
}

func TestPausesGrowWhileTheListChanges(t *testing.T) {
	var pause time.Duration
	suspected := 0
	for range 20 {
		next, suspect := toollist.Pause(pause, true)
		if next < pause {
			t.Errorf("after %v it is %v", pause, next)
		}
		if pause = next; suspect {
			suspected++
		}
	}
	if pause > time.Minute || suspected != 1 {
		t.Errorf("the last is %v, suspected %d times", pause, suspected)
	}
	if next, _ := toollist.Pause(pause, false); next != 0 {
		t.Errorf("it stays %v", next)
	}
}
