package child_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"mcp-aggregator/modules/child"
)

// A child is killed when the thread that started it ends: that thread must never end,
// unlike Go's other threads.
func TestOneThreadStartsAllChildren(t *testing.T) {
	thread := func() (id int) {
		_ = child.Launch(func() error {
			id = unix.Gettid()
			return nil
		})
		return id
	}
	first := thread()
	for range 50 {
		var gone sync.WaitGroup
		for range 4 {
			gone.Go(runtime.LockOSThread) // and the thread ends with the goroutine
		}
		gone.Wait()
		want(t, "thread", thread(), first)
	}
}

// A folder of PATH that we may not enter is skipped.
func TestAFolderOfPathThatMayNotBeEntered(t *testing.T) {
	folder := makeFiles(t, "closed/run*")
	closed := filepath.Join(folder, "closed")
	if err := os.Chmod(closed, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(closed, 0o700) })
	if os.Getuid() == 0 { // root may enter, unless this thread drops that privilege for files
		runtime.LockOSThread()
		t.Cleanup(func() { _ = syscall.Setfsuid(0); runtime.UnlockOSThread() })
		for path := folder; path != "/tmp" && path != "/"; path = filepath.Dir(path) {
			_ = os.Chmod(path, 0o755)
		}
		if err := syscall.Setfsuid(65534); err != nil {
			t.Skip(err)
		}
	}
	_, err := child.LookPath("run", []string{"PATH=" + closed}, "")
	if err == nil || !strings.Contains(err.Error(), "is not on its PATH") {
		t.Errorf("error %v", err)
	}
}
