package main

import (
	"bytes"
	"fmt"

	"github.com/google/rpmpack"
)

// rpmArch is rpm's name of an architecture.
var rpmArch = map[string]string{"amd64": "x86_64", "arm64": "aarch64"}

// rpms writes a package for each Linux.
func (r *release) rpms() error {
	for _, p := range linuxes() {
		entries, err := r.system(p, "usr/share/zsh/site-functions")
		if err != nil {
			return err
		}
		data, err := r.rpm(p, entries)
		if err != nil {
			return err
		}
		if err := r.write(fmt.Sprintf("%s_%s_%s.rpm", program, r.version, p.Arch), data); err != nil {
			return err
		}
	}
	return nil
}

func (r *release) rpm(p platform, entries []entry) ([]byte, error) {
	rpm, err := rpmpack.NewRPM(rpmpack.RPMMetaData{
		Name: program, Version: r.systemVersion(), Release: "1", Arch: rpmArch[p.Arch], OS: "linux",
		Summary: summary, Description: description, Licence: license, Vendor: vendor, Packager: vendor,
		URL: r.address, BuildHost: "localhost", BuildTime: r.made, Compressor: "gzip",
	})
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		rpm.AddFile(rpmpack.RPMFile{
			Name: "/" + e.name, Body: e.data, Mode: uint(0o100000 | e.mode),
			Owner: "root", Group: "root", MTime: uint32(r.made.Unix()),
		})
	}
	var file bytes.Buffer
	err = rpm.Write(&file)
	return file.Bytes(), err
}
