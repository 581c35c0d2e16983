// Command release builds what a release consists of: static binaries, archives,
// .deb and .rpm packages, npm packages, a bundle for Claude Desktop, a Homebrew
// formula, a bill of materials and the checksums of them all. On a commit without a
// tag it is a snapshot of the same. docs/releasing.md says who runs it, and when.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	out := flag.String("out", "dist", "the folder to write to; what is in it is removed")
	address := flag.String("address", nowhere, "where the project lives, without a slash at the end")
	flag.Parse()
	if err := build(*out, *address); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// nowhere stands for the project's address in what is not published.
const nowhere = "https://example.com/mcp-aggregator"

// build makes everything, in this order: binaries -> what carries them -> what
// describes that.
func build(out, address string) error {
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	binaries, err := compile(out)
	if err != nil {
		return err
	}
	r, err := describe(out, address, binaries)
	if err != nil {
		return err
	}
	for _, step := range []func() error{
		r.archives, r.debs, r.rpms, r.npm, r.bundle, r.bill, r.formula, r.checksums,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}
