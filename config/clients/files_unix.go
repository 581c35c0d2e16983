//go:build unix

package clients

import (
	"io/fs"
	"os"
	"syscall"
)

// keepOwner gives a file to the owner of the file that it replaces. Only root may do so;
// for other users this has no effect.
func keepOwner(file *os.File, before fs.FileInfo) {
	if before == nil {
		return
	}
	if stat, ok := before.Sys().(*syscall.Stat_t); ok {
		_ = file.Chown(int(stat.Uid), int(stat.Gid))
	}
}
