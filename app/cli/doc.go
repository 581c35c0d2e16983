// Package cli holds what the command lines of both programs share: exit codes, the
// report of an error, the log, and text that is safe to print on a terminal.
package cli
