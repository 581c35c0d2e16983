package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"

	"mcp-aggregator/modules/servers"
	"mcp-aggregator/modules/store"
)

func TestAFileIsLockedWhateverItIsCalled(t *testing.T) {
	path := newFile(t)
	open(t, path)
	folder := t.TempDir()
	symbolic, hard := filepath.Join(folder, "symbolic.db"), filepath.Join(folder, "hard.db")
	if err := errors.Join(os.Symlink(path, symbolic), os.Link(path, hard)); err != nil {
		t.Skip(err)
	}
	for _, name := range []string{symbolic, hard} {
		s, err := store.Open(t.Context(), name, quiet())
		if err == nil {
			_ = s.Close()
			t.Errorf("%s was opened", name)
		} else if !strings.Contains(err.Error(), "another mcp-aggregator uses it") {
			t.Error(err)
		}
	}
}

// What a killed process has not written into the file yet is stored beside the name that
// it used.
func TestAFileWithTwoNamesIsNotOpened(t *testing.T) {
	path := newFile(t)
	other := filepath.Join(t.TempDir(), "other.db")
	if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Link(path, other)); err != nil {
		t.Skip(err)
	}
	_, first := store.Open(t.Context(), path, quiet())
	_, second := store.Open(t.Context(), other, quiet())
	_, third := store.Migrations(t.Context(), other)
	for _, err := range []error{first, second, third} {
		if err == nil || !strings.Contains(err.Error(), "the file has 2 names (hard links)") {
			t.Error(err)
		}
	}
	if err := os.Remove(other); err != nil {
		t.Fatal(err)
	}
	open(t, path)
}

func TestAFileThatIsRemovedIsDetected(t *testing.T) {
	other := func(path string) error { return os.WriteFile(path+"2", nil, 0o600) }
	for name, test := range map[string]struct {
		lose func(path string) error
		want string
	}{
		"removed": {os.Remove, "the file was removed: restart the service"},
		"moved":   {func(path string) error { return os.Rename(path, path+"2") }, "the file was removed: restart the service"},
		"replaced": {
			func(path string) error { return errors.Join(other(path), os.Rename(path+"2", path)) },
			"the file was replaced by another one: restart the service",
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := newFile(t)
			s := open(t, path)
			id := register(t, s)
			if err := test.lose(path); err != nil {
				t.Skip(err) // Windows does not permit it
			}
			_, read := s.Servers(t.Context())
			_, tools := s.Tools(t.Context())
			_, history := s.History(t.Context(), id, 1)
			for what, err := range map[string]error{
				"a list": read, "tools": tools, "a history": history, "a change": rename(t.Context(), s, id, "b"),
				"a registration": s.Create(t.Context(), servers.Server{ID: uuid.NewString(), Name: "b"}),
				"a removal":      s.Delete(t.Context(), id), "a list of tools": s.ReplaceTools(t.Context(), id, nil),
			} {
				if err == nil || !strings.Contains(err.Error(), path+": "+test.want) {
					t.Errorf("%s: %v", what, err)
				}
			}
		})
	}
}
