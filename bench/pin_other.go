//go:build !linux

package main

import "errors"

// pin fails: only Linux can be asked.
func pin() (leave func(), err error) { return nil, errors.New("one processor: only on Linux") }
