package main

import (
	"os"

	"golang.org/x/term"

	"mcp-aggregator/app"
)

// screen says what a report on f is shown on. Only a terminal has a width, and
// colours, unless NO_COLOR (no-color.org) or TERM asks for none.
func screen(f *os.File) app.Screen {
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return app.Screen{}
	}
	plain := os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb"
	return app.Screen{Width: width, Colour: !plain && takesColour(f)}
}
