package main

import (
	"os"

	"golang.org/x/term"

	"mcp-aggregator/app/check"
)

// screen describes f as the device of a report. Only a terminal has a width, and colors
// unless NO_COLOR (no-color.org) or TERM turns them off.
func screen(f *os.File) check.Screen {
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return check.Screen{}
	}
	plain := os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb"
	return check.Screen{Width: width, Color: !plain && enableColor(f)}
}
