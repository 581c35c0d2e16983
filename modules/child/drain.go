package child

import (
	"io"
	"sync/atomic"
	"time"
)

// Someone else may hold the pipes of a dead child open, so its last output is
// waited for as long as any comes, and never long.
const (
	drainTime = time.Second
	quietTime = 100 * time.Millisecond
)

// drain reads the rest of the output of a process that has ended.
func (l *runningProcess) drain() {
	read := make(chan struct{})
	l.work.Go(func() { // ends when the pipes are closed below
		l.pipes.Wait()
		close(read)
	})
	began := time.Now()
	look := time.NewTicker(quietTime / 10)
	defer look.Stop()
	for done := false; !done; {
		select {
		case <-read:
			done = true
		case now := <-look.C:
			done = now.Sub(began) >= drainTime || l.stdout.quiet(began, now) && l.errors.quiet(began, now)
		}
	}
	_ = l.process.Stdin.Close()  // nobody writes to it any more
	_ = l.process.Stdout.Close() // nobody reads it any more
	_ = l.process.Stderr.Close() // nobody reads it any more
}

// source is an output of a child. It knows since when nothing has come.
type source struct {
	io.Reader
	opened time.Time
	since  atomic.Int64 // nanoseconds from opened to the Read that is under way; 0 without one
}

func newSource(r io.Reader) *source { return &source{Reader: r, opened: time.Now()} }

// Read implements io.Reader.
func (s *source) Read(p []byte) (int, error) {
	s.since.Store(int64(max(1, time.Since(s.opened))))
	n, err := s.Reader.Read(p)
	if err == nil {
		s.since.Store(0)
	}
	return n, err
}

// quiet reports whether the source has been waited for in vain, after began and
// for long enough.
func (s *source) quiet(began, now time.Time) bool {
	since := s.since.Load()
	if since == 0 {
		return false
	}
	from := s.opened.Add(time.Duration(since))
	if from.Before(began) {
		from = began
	}
	return now.Sub(from) >= quietTime
}
