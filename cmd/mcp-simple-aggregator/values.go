package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"mcp-aggregator/app/check"
	"mcp-aggregator/app/setup"
)

// separator separates server key and tool name.
type separator string

// Validate is called by kong.
func (s separator) Validate() error {
	if s == "" {
		return errors.New("must not be empty")
	}
	return nil
}

// keys are those of servers in the file.
type keys []string

// Validate is called by kong.
func (k keys) Validate() error {
	if k != nil && (len(k) == 0 || slices.Contains(k, "")) {
		return errors.New("must not be empty: give the keys of servers of the file, separated by commas")
	}
	return nil
}

// globs are patterns of names, as of [path.Match].
type globs []string

// Validate is called by kong.
func (g globs) Validate() error {
	for _, pattern := range g {
		if _, err := path.Match(pattern, ""); err != nil || pattern == "" {
			return fmt.Errorf("%q is no pattern: close the [, or write \\[ for the character", pattern)
		}
	}
	return nil
}

// jsonObject is a JSON object, written on any number of lines.
type jsonObject string

// Validate is called by kong.
func (o jsonObject) Validate() error {
	var raw json.RawMessage
	if err := json.Unmarshal([]byte(o), &raw); err != nil {
		return fmt.Errorf("must be one JSON object: %w", err)
	}
	if line := o.line(); line[0] != '{' || !utf8.Valid(line) {
		return errors.New("must be one JSON object, in UTF-8")
	}
	return nil
}

// line returns the object on one line, otherwise as it is written: messages
// end with their line.
func (o jsonObject) line() []byte {
	var line bytes.Buffer
	_ = json.Compact(&line, []byte(o)) // it has been validated
	return line.Bytes()
}

// clientNames are keys of clients.
type clientNames []clientName

// Validate is called by kong.
func (names clientNames) Validate() error {
	for _, name := range names {
		if err := name.Validate(); err != nil {
			return err
		}
	}
	return nil
}

func (clientNames) values() []string { return setup.Clients() }

// clientName is the key of a client whose files are known.
type clientName string

// Validate is called by kong.
func (n clientName) Validate() error {
	keys := setup.Clients()
	switch {
	case slices.Contains(keys, string(n)):
		return nil
	case slices.Contains(check.Clients(), string(n)):
		return fmt.Errorf("the configuration of %s is not edited by this command; docs/quickstart.md has what to write there", n)
	default:
		return fmt.Errorf("must be one of %s", strings.Join(keys, ", "))
	}
}

func (clientName) values() []string { return setup.Clients() }
