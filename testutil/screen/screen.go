// Package screen renders the terminal output of a program as SVG, for the documents. It
// supports the colors that the programs use, and no other escapes.
package screen

import (
	"fmt"
	"html"
	"regexp"
	"strings"
	"unicode/utf8"
)

// The dimensions of a screen, in pixels.
const (
	cell   = 8.43 // width of a character: 0.602 em, as in most fonts, of 14 pixels
	line   = 19
	margin = 16
	size   = 14
)

// colors has the attributes for SGR parameters, on a dark background.
var colors = map[string]string{
	"1":  `fill="#ffffff" font-weight="bold"`,
	"31": `fill="#ff7b72"`,
	"32": `fill="#7ee787"`,
	"33": `fill="#e3b341"`,
	"36": `fill="#79c0ff"`,
}

var coloredText = regexp.MustCompile("\x1b\\[([0-9]+)m([^\x1b]*)\x1b\\[0m")

// SVG renders a command and, below it, the text that it prints on a terminal with that
// many columns.
func SVG(command, text string, columns int) string {
	lines := append([]string{"\x1b[1m$ " + command + "\x1b[0m"}, strings.Split(strings.TrimSuffix(text, "\n"), "\n")...)
	width := 2*margin + int(float64(columns)*cell)
	height := 2*margin + len(lines)*line
	var out strings.Builder
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img">`+"\n",
		width, height, width, height)
	fmt.Fprintf(&out, "<title>%s</title>\n", html.EscapeString(command))
	fmt.Fprintf(&out, `<rect width="100%%" height="100%%" rx="8" fill="#0d1117"/>`+"\n")
	fmt.Fprintf(&out, `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="%d" fill="#c9d1d9">`+"\n", size)
	for i, text := range lines {
		row(&out, text, margin+size+i*line)
	}
	out.WriteString("</g>\n</svg>\n")
	return out.String()
}

// row renders the pieces of one line, each at its column, so that they are aligned in any
// font.
func row(out *strings.Builder, text string, y int) {
	column := 0
	piece := func(text, paint string) {
		if strings.TrimSpace(text) != "" {
			fmt.Fprintf(out, `<text xml:space="preserve" x="%.1f" y="%d" textLength="%.1f" lengthAdjust="spacingAndGlyphs"%s>%s</text>`+"\n",
				margin+float64(column)*cell, y, float64(utf8.RuneCountInString(text))*cell, paint, html.EscapeString(text))
		}
		column += utf8.RuneCountInString(text)
	}
	for len(text) > 0 {
		at := coloredText.FindStringSubmatchIndex(text)
		if at == nil {
			piece(text, "")
			return
		}
		piece(text[:at[0]], "")
		piece(text[at[4]:at[5]], " "+colors[text[at[2]:at[3]]])
		text = text[at[1]:]
	}
}
