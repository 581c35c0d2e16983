// Package check composes the command check: it runs the stdio program for an in-process
// client, examines the servers with the doctor, and prints a report.
package check
