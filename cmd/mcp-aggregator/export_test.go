package main

// Main is the program, for tests that run it as a process of its own.
var Main = main

// Parse returns what is wrong with a command line.
func Parse(args []string) error {
	_, err := newParser(&commandLine{}).Parse(args)
	return err
}
