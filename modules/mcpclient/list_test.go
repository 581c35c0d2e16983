package mcpclient_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"mcp-aggregator/modules/mcpclient"
)

func TestListTools(t *testing.T) {
	for name, test := range map[string]struct {
		pages []string
		want  string // the tools, or the error
	}{
		"one page":                       {[]string{`{"tools":[{"name":"a"}, 1.0]}`}, `{"name":"a"} 1.0`},
		"several pages":                  {[]string{`{"tools":[1],"nextCursor":"\u0061"}`, `{"nextCursor":null,"tools":[2]}`}, "1 2"},
		"an empty cursor ends the list":  {[]string{`{"tools":[1],"nextCursor":""}`}, "1"},
		"a cursor that was there before": {[]string{`{"tools":[1],"nextCursor":"a"}`, `{"tools":[2],"nextCursor":"a"}`}, "1 2"},
		"no array":                       {[]string{`{"tools":{}}`}, "tools/list: the result has no array of tools"},
		"no answer":                      {nil, "tools/list: no more pages"},
	} {
		t.Run(name, func(t *testing.T) {
			rest := test.pages
			tools, err := mcpclient.ListTools(func([]byte) ([]byte, error) {
				if len(rest) == 0 {
					return nil, errors.New("no more pages")
				}
				page := rest[0]
				rest = rest[1:]
				return []byte(page), nil
			}, slog.New(slog.DiscardHandler))
			var got []string
			for _, tool := range tools {
				got = append(got, string(tool))
			}
			if text := strings.Join(got, " "); err == nil && text != test.want || err != nil && err.Error() != test.want {
				t.Errorf("got %q, error %v; want %q", text, err, test.want)
			}
		})
	}
}

func TestEndlessListIsCutShort(t *testing.T) {
	for name, test := range map[string]struct {
		page int // tools
		tool string
		want int
		log  string
	}{
		"by its bytes": {1, `"` + strings.Repeat("x", 10<<20) + `"`, 7, `level=WARN msg="tool list cut short: too many bytes" bytes=67108864 tools=7`},
		"by its tools": {30_000, "1", mcpclient.MaxTools, `level=WARN msg="tool list cut short: too many tools" tools=100000`},
		"by its pages": {1, "1", mcpclient.MaxPages, `level=WARN msg="tool list cut short: too many pages" pages=10000`},
	} {
		t.Run(name, func(t *testing.T) {
			page := `{"tools":[` + strings.TrimSuffix(strings.Repeat(test.tool+",", test.page), ",") + `],"nextCursor":%d}`
			pages := 0
			var log bytes.Buffer
			tools, err := mcpclient.ListTools(func([]byte) ([]byte, error) {
				pages++
				return fmt.Appendf(nil, page, pages), nil
			}, slog.New(slog.NewTextHandler(&log, nil)))
			if err != nil || len(tools) != test.want {
				t.Errorf("got %d tools, error %v; want %d", len(tools), err, test.want)
			}
			if _, got, _ := strings.Cut(log.String(), " "); got != test.log+"\n" {
				t.Errorf("logged %q, want %q", got, test.log)
			}
		})
	}
}
