package upstream_test

import (
	"errors"
	"io"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"mcp-aggregator/modules/upstream"
)

// blockingFile returns a file in blocking mode, like inherited ones.
func blockingFile(t *testing.T, fd int, name string) *os.File {
	t.Helper()
	if err := unix.SetNonblock(fd, false); err != nil {
		t.Fatal(err)
	}
	return os.NewFile(uintptr(fd), name)
}

func pipe(t *testing.T) (ours, theirs *os.File) {
	t.Helper()
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	return blockingFile(t, ends[0], "ours"), os.NewFile(uintptr(ends[1]), "theirs")
}

func socketPair(t *testing.T) (ours, theirs *os.File) {
	t.Helper()
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	return blockingFile(t, ends[0], "ours"), os.NewFile(uintptr(ends[1]), "theirs")
}

// flags returns the flags of the open file description, which other processes may share.
func flags(t *testing.T, file *os.File) (set int) {
	t.Helper()
	raw, err := file.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	if failed := raw.Control(func(fd uintptr) { set, err = unix.FcntlInt(fd, unix.F_GETFL, 0) }); failed != nil || err != nil {
		t.Fatal(failed, err)
	}
	return set
}

// duplicate returns a second descriptor of the same open file description.
func duplicate(t *testing.T, file *os.File) *os.File {
	t.Helper()
	fd, err := unix.FcntlInt(file.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	kept := os.NewFile(uintptr(fd), "kept")
	t.Cleanup(func() { _ = kept.Close() })
	return kept
}

func TestStoppingEndsTheReadOfAnInputThatBlocks(t *testing.T) {
	for name, open := range map[string]func(*testing.T) (ours, theirs *os.File){"a pipe": pipe, "a socket": socketPair} {
		t.Run(name, func(t *testing.T) {
			ours, theirs := open(t)
			defer theirs.Close()
			kept := duplicate(t, ours)
			before := flags(t, kept)
			answers, out := io.Pipe()
			s, _, _ := serve(t, upstream.Stdio{In: ours, Out: out}, upstream.Options{})
			for range 2 { // the second read blocks first
				if _, err := theirs.WriteString(`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n"); err != nil {
					t.Fatal(err)
				}
				if _, err := answers.Read(make([]byte, 100)); err != nil {
					t.Fatal(err)
				}
			}
			if now := flags(t, kept); now != before {
				t.Errorf("flags %#o while it serves, %#o before", now, before)
			}
			if err := s.Stop(t.Context()); err != nil {
				t.Error(err)
			}
			if now := flags(t, kept); now != before {
				t.Errorf("flags %#o when it has stopped, %#o before", now, before)
			}
			_ = kept.Close()
			if _, err := theirs.WriteString("x"); !errors.Is(err, unix.EPIPE) {
				t.Errorf("somebody still reads: %v", err)
			}
		})
	}
}

func TestTheEndOfAnInputEndsTheSession(t *testing.T) {
	for name, open := range map[string]func(*testing.T) (ours, theirs *os.File){"a pipe": pipe, "a socket": socketPair} {
		t.Run(name, func(t *testing.T) {
			ours, theirs := open(t)
			s, _, _ := serve(t, upstream.Stdio{In: ours, Out: io.Discard}, upstream.Options{})
			if _, err := theirs.WriteString("\n"); err != nil {
				t.Fatal(err)
			}
			_ = theirs.Close()
			<-s.Done()
			if err := s.Err(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestThePipeToTheClientHoldsAMegabyte(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	upstream.NewOutput(upstream.Stdio{Out: w})
	raw, err := w.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	if err := raw.Control(func(fd uintptr) {
		if size, err := unix.FcntlInt(fd, unix.F_GETPIPE_SZ, 0); err != nil || size < 1<<20 {
			t.Errorf("the pipe holds %d bytes, %v", size, err)
		}
	}); err != nil {
		t.Fatal(err)
	}
}
