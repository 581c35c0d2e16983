//go:build !linux

package upstream

import "io"

// pollableInput returns in: pipes are reopened on Linux only.
func pollableInput(in io.ReadCloser) io.ReadCloser { return in }

// enlargePipe does nothing: the size of pipes can be set on Linux only.
func enlargePipe(io.Writer) {}
