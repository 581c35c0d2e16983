package config_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"mcp-aggregator/config"
)

func load(path string) (*config.File, error) {
	return config.NewLoader(config.Path(path), nil).Load()
}

func TestAMissingFileIsReportedWithTheStartOfARelativePath(t *testing.T) {
	folder := inFolder(t)
	_, err := load("no/such.json")
	wantProblems(t, err, config.FileNotFound, "no/such.json: file not found; give the path of an existing "+
		"mcpServers file (a relative path starts from "+folder+")")
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v does not wrap fs.ErrNotExist", err)
	}
}

func TestAMissingFileWithAnAbsolutePathIsReportedWithoutIt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "such.json")
	_, err := load(path)
	wantProblems(t, err, config.FileNotFound, path+": file not found; give the path of an existing mcpServers file")
}

func TestAnEmptyPathIsQuoted(t *testing.T) {
	folder := inFolder(t)
	_, err := load("")
	wantProblems(t, err, config.FileNotFound, `"": file not found; give the path of an existing `+
		"mcpServers file (a relative path starts from "+folder+")")
}

func TestAPathWithControlCharactersIsQuoted(t *testing.T) {
	for path, want := range map[string]string{
		"/no/\x1b[31mred":    `"/no/\x1b[31mred"`,
		"/no/line\nbreak":    `"/no/line\nbreak"`,
		"/no/\u202egnp.json": `"/no/\u202egnp.json"`,
		"/no/\xff":           `"/no/\xff"`,
		"/no/ünder score":    "/no/ünder score",
	} {
		_, err := load(path)
		wantProblems(t, err, config.FileNotFound, want+": file not found; give the path of an existing mcpServers file")
	}
}

func TestADirectoryIsReported(t *testing.T) {
	inFolder(t)
	_, err := load(".")
	wantProblems(t, err, config.FileUnreadable, ".: path is a directory; give the path of the file in it")
}

func TestAFileWithoutPermissionIsReported(t *testing.T) {
	const want = "c.json: permission denied; allow the user who runs this program to read the file"
	cause := &fs.PathError{Op: "open", Path: "c.json", Err: fs.ErrPermission}
	wantProblems(t, config.Errors{config.Unreadable("c.json", cause)}, config.FileUnreadable, want)

	if runtime.GOOS == "windows" || os.Geteuid() == 0 {
		t.Skip("this user may read everything")
	}
	inFolder(t)
	if err := os.WriteFile("c.json", nil, 0); err != nil {
		t.Fatal(err)
	}
	_, err := load("c.json")
	wantProblems(t, err, config.FileUnreadable, want)
}

func TestAnyOtherReadErrorIsReportedWithItsCause(t *testing.T) {
	err := config.Unreadable("c.json", &fs.PathError{Op: "read", Path: "c.json", Err: syscall.EIO})
	wantProblems(t, config.Errors{err}, config.FileUnreadable,
		"c.json: file cannot be read (input/output error); give the path of an mcpServers file")
	if !errors.Is(err, syscall.EIO) {
		t.Errorf("%v does not wrap its cause", err)
	}

	inFolder(t)
	write(t, "c.json", "{}")
	_, notAFolder := load("c.json/d.json")
	if _, err := os.Stat("c.json/d.json"); !errors.Is(err, fs.ErrNotExist) { // on Windows the file is not found
		wantProblems(t, notAFolder, config.FileUnreadable,
			"c.json/d.json: file cannot be read (not a directory); give the path of an mcpServers file")
	}
}

func TestAFileMayHaveAtMost16MiB(t *testing.T) {
	inFolder(t)
	const empty = `{"mcpServers": {}}`
	fits := empty + strings.Repeat(" ", 16<<20-len(empty))
	mustResolve(t, "c.json", fits)

	_, err := resolve(t, "c.json", fits+" ")
	wantProblems(t, err, config.FileUnreadable,
		"c.json: file is larger than 16 MiB; give the path of an mcpServers file")
}

func TestTextThatIsNotUTF8IsReported(t *testing.T) {
	const (
		empty = `c.json: file is empty; write at least {"mcpServers": {}}`
		utf16 = "c.json: file is encoded as UTF-16; save it as UTF-8"
		utf8  = ": text is not valid UTF-8; save the file as UTF-8"
	)
	runRefusals(t, config.InvalidJSON, []refusal{
		{"an empty file", "", empty},
		{"a file of white space", " \r\n\t", empty},
		{"a file of a byte-order mark", "\ufeff", empty},
		{"UTF-16, little endian", "\xff\xfe{\x00}\x00", utf16},
		{"UTF-16, big endian", "\xfe\xff\x00{\x00}", utf16},
		{"a Latin-1 letter, its column counted in characters", "{\n\"äöü\": \"\xe4\"}", "c.json:2:9" + utf8},
		{"a character cut short at the end", "{}\xe2\x82", "c.json:1:3" + utf8},
		{"a byte order mark is not a column", "\ufeff\xff", "c.json:1:1" + utf8},
	})
}

func TestAReplacementCharacterIsValidUTF8(t *testing.T) {
	inFolder(t)
	mustResolve(t, "c.json", `{"mcpServers": {}, "note": "`+"\ufffd"+`"}`)
}

func TestAByteOrderMarkIsAccepted(t *testing.T) {
	inFolder(t)
	resolved := mustResolve(t, "c.json", "\ufeff"+oneServer(`"command": "x"`))
	if got := resolved.Servers[0].Command; got != "x" {
		t.Errorf("command %q", got)
	}
}
