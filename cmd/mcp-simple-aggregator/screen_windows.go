package main

import (
	"os"

	"golang.org/x/sys/windows"
)

// enableColor turns on escape sequences, which consoles before Windows 10 do not
// understand, and reports whether that worked.
func enableColor(f *os.File) bool {
	console := windows.Handle(f.Fd())
	var mode uint32
	if windows.GetConsoleMode(console, &mode) != nil {
		return false
	}
	return windows.SetConsoleMode(console, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
