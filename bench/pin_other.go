//go:build !linux

package main

import "errors"

// pin fails: it is only supported on Linux.
func pin() (leave func(), err error) { return nil, errors.New("one processor: only on Linux") }
