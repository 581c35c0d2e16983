package upstream

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// pollableInput returns an input that Go's poller can wait for, if in is a pipe or a
// socket; in itself if it is neither or that fails. A blocking read occupies its
// processor until the runtime takes it away: with a single processor, the goroutines that
// read the children would wait.
func pollableInput(in io.ReadCloser) io.ReadCloser {
	file, ok := in.(*os.File)
	if !ok || isPollable(file) {
		return in
	}
	info, err := file.Stat()
	if err != nil {
		return in
	}
	kind := info.Mode().Type()
	if kind == fs.ModeNamedPipe {
		if again := reopenNonblocking(file); again != nil {
			return reopenedInput{again, again, file}
		}
	}
	if kind == fs.ModeSocket {
		if shared := duplicateSocket(file); shared != nil {
			raw, _ := shared.SyscallConn() // cannot fail: the file is open
			return reopenedInput{sharedSocket{raw, file.Name()}, shared, file}
		}
	}
	return in
}

// isPollable reports whether file is in Go's poller.
func isPollable(file *os.File) bool { return file.SetReadDeadline(time.Time{}) == nil }

// reopenedInput reads from a pollable file and closes the original, too.
type reopenedInput struct {
	io.Reader
	file, original *os.File
}

// Close implements io.Closer. It ends a blocked Read.
func (i reopenedInput) Close() error { return errors.Join(i.file.Close(), i.original.Close()) }

// reopenNonblocking opens a pipe again: O_NONBLOCK belongs to the open file description,
// which other processes may share. It returns nil without /proc, or if another user made
// the pipe.
func reopenNonblocking(pipe *os.File) *os.File {
	var again *os.File
	withDescriptor(pipe, func(fd int) {
		again, _ = os.OpenFile(fmt.Sprintf("/proc/self/fd/%d", fd), os.O_RDONLY|unix.O_NONBLOCK, 0)
	})
	return closeUnlessPollable(again)
}

// duplicateSocket returns a second descriptor of a socket, which cannot be opened again,
// for the poller. os.NewFile adds only nonblocking descriptors to the poller, and checks
// that once; so the flag is cleared right after, because others share it, such as our
// standard output.
func duplicateSocket(socket *os.File) *os.File {
	var shared *os.File
	withDescriptor(socket, func(fd int) {
		second, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
		if err != nil {
			return
		}
		_ = unix.SetNonblock(second, true) // os.NewFile checks the flag
		shared = os.NewFile(uintptr(second), socket.Name())
		_ = unix.SetNonblock(second, false) // shared with others
	})
	return closeUnlessPollable(shared)
}

func withDescriptor(file *os.File, do func(fd int)) {
	if raw, err := file.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { do(int(fd)) }) // fails only for a closed file
	}
}

// closeUnlessPollable returns file if it is pollable; otherwise it closes it and returns
// nil.
func closeUnlessPollable(file *os.File) *os.File {
	if file != nil && !isPollable(file) {
		_ = file.Close() // nothing has been read from it
		return nil
	}
	return file
}

// sharedSocket reads a socket without blocking, though its descriptor is in blocking
// mode.
type sharedSocket struct {
	raw  syscall.RawConn
	name string
}

// Read implements io.Reader.
func (s sharedSocket) Read(p []byte) (n int, err error) {
	closed := s.raw.Read(func(fd uintptr) bool {
		for {
			n, _, err = unix.Recvfrom(int(fd), p, unix.MSG_DONTWAIT)
			if !errors.Is(err, unix.EINTR) {
				return !errors.Is(err, unix.EAGAIN)
			}
		}
	})
	switch {
	case closed != nil:
		return 0, closed
	case err != nil:
		return 0, &os.PathError{Op: "read", Path: s.name, Err: err}
	case n == 0 && len(p) > 0:
		return 0, io.EOF
	default:
		return n, nil
	}
}

// pipeCapacity is the size of the client's pipe in bytes, the most that any user may
// request (pipe(7), pipe-max-size). Long lists and results take fewer context switches: a
// list of 10,000 tools takes a quarter longer without it.
const pipeCapacity = 1 << 20

// enlargePipe enlarges w if it is a pipe and the system permits it.
func enlargePipe(w io.Writer) {
	file, ok := w.(*os.File)
	if !ok {
		return
	}
	raw, err := file.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) {
		if size, err := unix.FcntlInt(fd, unix.F_GETPIPE_SZ, 0); err == nil && size < pipeCapacity {
			_, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, pipeCapacity) // optional
		}
	})
}
