package screen_test

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"mcp-aggregator/testutil/screen"
)

func TestPiecesStandAtTheirColumns(t *testing.T) {
	svg := screen.SVG("check", "a \x1b[31mfailed\x1b[0m <b>\n\nend\n", 80)
	for _, want := range []string{
		`x="16.0" y="30" textLength="59.0" lengthAdjust="spacingAndGlyphs" fill="#ffffff" font-weight="bold">$ check</text>`,
		`x="16.0" y="49" textLength="16.9" lengthAdjust="spacingAndGlyphs">a </text>`,
		`x="32.9" y="49" textLength="50.6" lengthAdjust="spacingAndGlyphs" fill="#ff7b72">failed</text>`,
		` &lt;b&gt;</text>`,
		`x="16.0" y="87" textLength="25.3" lengthAdjust="spacingAndGlyphs">end</text>`,
	} {
		if !strings.Contains(svg, want) {
			t.Errorf("there is no %s in\n%s", want, svg)
		}
	}
	decoder := xml.NewDecoder(strings.NewReader(svg))
	for {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}
