package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"unicode/utf8"
)

const maxFileSize = 16 << 20

func readFile(name string) ([]byte, *Error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, unreadable(name, err)
	}
	defer file.Close()

	info, err := file.Stat()
	if err != nil {
		return nil, unreadable(name, err)
	}
	if info.IsDir() {
		return nil, unreadableBecause(name, "path is a directory; give the path of the file in it")
	}
	data, err := io.ReadAll(io.LimitReader(file, maxFileSize+1))
	switch {
	case err != nil:
		return nil, unreadable(name, err)
	case len(data) > maxFileSize:
		return nil, unreadableBecause(name, "file is larger than 16 MiB; give the path of an mcpServers file")
	}
	return data, nil
}

// unreadable tells the user what the operating system's error means.
func unreadable(name string, err error) *Error {
	problem := &Error{Code: FileUnreadable, File: name, Err: err}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		problem.Code = FileNotFound
		problem.Message = "file not found; give the path of an existing mcpServers file" + startingPoint(name)
	case errors.Is(err, fs.ErrPermission):
		problem.Message = "permission denied; allow the user who runs this program to read the file"
	default:
		problem.Message = fmt.Sprintf("file cannot be read (%v); give the path of an mcpServers file", cause(err))
	}
	return problem
}

func unreadableBecause(name, message string) *Error {
	return &Error{Code: FileUnreadable, File: name, Message: message}
}

// startingPoint matters because a desktop client starts its servers in a
// folder that the user did not choose.
func startingPoint(name string) string {
	folder, err := filepath.Abs(".")
	if filepath.IsAbs(name) || err != nil {
		return ""
	}
	return fmt.Sprintf(" (a relative path starts from %s)", display(folder))
}

// cause leaves out the path, which the message begins with anyway.
func cause(err error) error {
	if pathError, ok := errors.AsType[*fs.PathError](err); ok {
		return pathError.Err
	}
	return err
}

// decodeText returns the text of a file without its byte-order mark.
func decodeText(name string, data []byte) ([]byte, *Error) {
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		return nil, &Error{Code: InvalidJSON, File: name, Message: "file is encoded as UTF-16; save it as UTF-8"}
	}
	text := bytes.TrimPrefix(data, []byte("\ufeff"))
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, &Error{Code: InvalidJSON, File: name, Message: `file is empty; write at least {"mcpServers": {}}`}
	}
	if at := invalidUTF8(text); at >= 0 {
		return nil, newDocument(name, text).problem(InvalidJSON, "", at,
			"text is not valid UTF-8; save the file as UTF-8")
	}
	return text, nil
}

// invalidUTF8 returns the offset of the first invalid byte, or -1.
func invalidUTF8(text []byte) int {
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
	return -1
}
