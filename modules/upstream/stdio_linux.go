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

// pollableInput returns in as Go's poller waits for it, if it is a pipe or a socket that
// nobody has put there; in itself when that fails. A read that blocks keeps its
// processor until the runtime takes it away: with a single one, the goroutines that
// read the children wait meanwhile.
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
			raw, _ := shared.SyscallConn() // an open file has one
			return reopenedInput{sharedSocket{raw, file.Name()}, shared, file}
		}
	}
	return in
}

func isPollable(file *os.File) bool { return file.SetReadDeadline(time.Time{}) == nil }

// reopenedInput reads by way of the poller what it closes as well.
type reopenedInput struct {
	io.Reader
	file, original *os.File
}

// Close implements io.Closer. It ends a Read that waits.
func (i reopenedInput) Close() error { return errors.Join(i.file.Close(), i.original.Close()) }

// reopenNonblocking opens a pipe a second time: O_NONBLOCK belongs to what is opened, which
// others may have too. It fails without /proc, and for a pipe that another user made.
func reopenNonblocking(pipe *os.File) *os.File {
	var again *os.File
	withDescriptor(pipe, func(fd int) {
		again, _ = os.OpenFile(fmt.Sprintf("/proc/self/fd/%d", fd), os.O_RDONLY|unix.O_NONBLOCK, 0)
	})
	return closeUnlessPollable(again)
}

// duplicateSocket returns a second descriptor of a socket, which cannot be opened anew, for the
// poller. Go takes only what does not block, and never asks again: so that is undone
// at once, for whoever else has the socket, as our standard output.
func duplicateSocket(socket *os.File) *os.File {
	var shared *os.File
	withDescriptor(socket, func(fd int) {
		second, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
		if err != nil {
			return
		}
		_ = unix.SetNonblock(second, true) // or keepPolled refuses it
		shared = os.NewFile(uintptr(second), socket.Name())
		_ = unix.SetNonblock(second, false) // as above
	})
	return closeUnlessPollable(shared)
}

func withDescriptor(file *os.File, do func(fd int)) {
	if raw, err := file.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { do(int(fd)) }) // or nothing is done
	}
}

// closeUnlessPollable returns file if it is in the poller.
func closeUnlessPollable(file *os.File) *os.File {
	if file != nil && !isPollable(file) {
		_ = file.Close() // nothing was read from it
		return nil
	}
	return file
}

// sharedSocket is one that blocks for others.
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

// pipeCapacity is how much the client's pipe shall hold, in bytes: what any user may ask
// for (pipe(7), pipe-max-size). Long lists and results take fewer switches between
// the client and us: a list of 10,000 tools takes a quarter longer without.
const pipeCapacity = 1 << 20

// enlargePipe makes room in w, if it is a pipe and the system agrees.
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
			_, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, pipeCapacity) // it works as it is, too
		}
	})
}
