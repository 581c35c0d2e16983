//go:build !linux

package service_test

const childVariable = "SERVICE_TEST_CHILD"

// beChild is for the tests that run on Linux alone.
func beChild(string) {}
