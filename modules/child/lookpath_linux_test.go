package child_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"mcp-aggregator/modules/child"
)

// A folder of PATH that we may not enter says nothing about the command.
func TestAFolderOfPathThatIsClosedToUs(t *testing.T) {
	folder := layOut(t, "closed/run*")
	closed := filepath.Join(folder, "closed")
	if err := os.Chmod(closed, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(closed, 0o700) })
	if os.Getuid() == 0 { // root may enter, unless this thread gives that up for files
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
