package main

import (
	"bytes"
	"crypto/md5" //nolint:gosec // md5sums is a file of the package format, no defence
	"fmt"
	"strings"
	"time"
)

// debs writes a Debian package for each Linux. deb(5) has the format: an ar archive
// of three members in this order.
func (r *release) debs() error {
	for _, p := range linuxes() {
		entries, err := r.system(p, "usr/share/zsh/vendor-completions")
		if err != nil {
			return err
		}
		control, err := tarGz([]entry{
			{"./control", 0o644, []byte(r.control(p, entries))},
			{"./md5sums", 0o644, md5sums(entries)},
		}, r.made)
		if err != nil {
			return err
		}
		data, err := tarGz(folders(entries), r.made)
		if err != nil {
			return err
		}
		deb := arOf(r.made, entry{"debian-binary", 0o644, []byte("2.0\n")},
			entry{"control.tar.gz", 0o644, control}, entry{"data.tar.gz", 0o644, data})
		if err := r.write(fmt.Sprintf("%s_%s_%s.deb", program, r.version, p.Arch), deb); err != nil {
			return err
		}
	}
	return nil
}

// control is the file of that name. Debian's names of the architectures are Go's.
func (r *release) control(p platform, entries []entry) string {
	size := 0
	for _, e := range entries {
		size += len(e.data)
	}
	return strings.Join([]string{
		"Package: " + program,
		"Version: " + r.systemVersion(),
		"Architecture: " + p.Arch,
		"Maintainer: " + vendor + " <noreply@example.com>",
		fmt.Sprintf("Installed-Size: %d", (size+1023)/1024),
		"Section: utils",
		"Priority: optional",
		"Homepage: " + r.address,
		"Description: " + summary,
		indented(description),
		"",
	}, "\n")
}

func md5sums(entries []entry) []byte {
	var sums bytes.Buffer
	for _, e := range entries {
		fmt.Fprintf(&sums, "%x  %s\n", md5.Sum(e.data), e.name) //nolint:gosec // as above
	}
	return sums.Bytes()
}

// arOf is an archive in the format of ar(5).
func arOf(made time.Time, members ...entry) []byte {
	var file bytes.Buffer
	file.WriteString("!<arch>\n")
	for _, m := range members {
		fmt.Fprintf(&file, "%-16s%-12d%-6d%-6d%-8o%-10d`\n", m.name, made.Unix(), 0, 0, 0o100000|m.mode, len(m.data))
		file.Write(m.data)
		if len(m.data)%2 == 1 {
			file.WriteByte('\n')
		}
	}
	return file.Bytes()
}
