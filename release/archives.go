package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// archives writes one a platform: .zip for Windows, .tar.gz for the others.
func (r *release) archives() error {
	for _, p := range platforms {
		binary, err := os.ReadFile(r.binaries[p])
		if err != nil {
			return err
		}
		entries := append([]entry{{p.file(), 0o755, binary}}, r.texts...)
		pack := tarGz
		if p.OS == "windows" {
			pack = zipped
		}
		data, err := pack(entries, r.made)
		if err != nil {
			return err
		}
		if err := r.write(r.archive(p), data); err != nil {
			return err
		}
	}
	return nil
}

// archive is the name of a platform's archive.
func (r *release) archive(p platform) string {
	name := strings.Join([]string{program, r.version, p.OS, p.Arch}, "_")
	if p.OS == "windows" {
		return name + ".zip"
	}
	return name + ".tar.gz"
}

// write writes a file of the release.
func (r *release) write(name string, data []byte) error {
	return os.WriteFile(filepath.Join(r.out, name), data, 0o644) //nolint:gosec // to be read by everybody
}

func tarGz(entries []entry, made time.Time) ([]byte, error) {
	var file bytes.Buffer
	compressed := gzip.NewWriter(&file)
	if err := tarTo(compressed, entries, made); err != nil {
		return nil, err
	}
	err := compressed.Close()
	return file.Bytes(), err
}

// tarTo writes the entries, of which those whose name ends with a slash are folders.
func tarTo(w io.Writer, entries []entry, made time.Time) error {
	archive := tar.NewWriter(w)
	for _, e := range entries {
		header := &tar.Header{Name: e.name, Mode: e.mode, Size: int64(len(e.data)), ModTime: made, Format: tar.FormatGNU}
		if strings.HasSuffix(e.name, "/") {
			header.Typeflag = tar.TypeDir
		}
		if err := archive.WriteHeader(header); err != nil {
			return err
		}
		if _, err := archive.Write(e.data); err != nil {
			return err
		}
	}
	return archive.Close()
}

func zipped(entries []entry, made time.Time) ([]byte, error) {
	var file bytes.Buffer
	archive := zip.NewWriter(&file)
	for _, e := range entries {
		header := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: made}
		header.SetMode(os.FileMode(e.mode))
		w, err := archive.CreateHeader(header)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(e.data); err != nil {
			return nil, err
		}
	}
	err := archive.Close()
	return file.Bytes(), err
}
