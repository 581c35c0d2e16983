package main

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"
)

//go:embed formula.rb.tmpl
var formulaText string

// formula writes the Homebrew formula, with the checksums of the archives beside it.
func (r *release) formula() error {
	t, err := template.New("formula").Funcs(template.FuncMap{"url": r.url, "sha256": r.sum}).Parse(formulaText)
	if err != nil {
		return err
	}
	var file bytes.Buffer
	about := map[string]string{"Summary": summary, "Address": r.address, "License": license, "Version": r.version, "Program": program}
	if err := t.Execute(&file, about); err != nil {
		return err
	}
	return r.write(program+".rb", file.Bytes())
}

// url is where a release on GitHub has the archive.
func (r *release) url(os, arch string) string {
	return fmt.Sprintf("%s/releases/download/v%s/%s", r.address, r.version, r.archive(platform{os, arch}))
}

func (r *release) sum(os, arch string) (string, error) { return r.sumOf(r.archive(platform{os, arch})) }

func (r *release) sumOf(name string) (string, error) {
	data, err := os.ReadFile(filepath.Join(r.out, name))
	return fmt.Sprintf("%x", sha256.Sum256(data)), err
}

// checksums writes those of every file of the release, as sha256sum does.
func (r *release) checksums() error {
	files, err := os.ReadDir(r.out)
	if err != nil {
		return err
	}
	var sums strings.Builder
	for _, file := range files {
		if file.IsDir() {
			continue
		}
		sum, err := r.sumOf(file.Name())
		if err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%s  %s\n", sum, file.Name())
	}
	return r.write("checksums.txt", []byte(sums.String()))
}
