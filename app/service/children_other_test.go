//go:build !linux

package service_test

const childVariable = "SERVICE_TEST_CHILD"

// runChild is used on Linux only.
func runChild(string) {}
