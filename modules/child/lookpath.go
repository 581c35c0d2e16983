package child

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// lookPath finds command the way the child itself would: on the PATH of env,
// its own, not on ours. A command with a path separator is relative to dir.
func lookPath(command string, env []string, dir string) (string, error) {
	if strings.ContainsAny(command, separators()) {
		return lookFile(command, dir)
	}
	var denied error
	for _, folder := range filepath.SplitList(variable(env, "PATH")) {
		if !filepath.IsAbs(folder) { // the current folder is no place to find commands
			continue
		}
		found, err := exec.LookPath(filepath.Join(folder, command))
		if err == nil {
			return found, nil
		}
		if errors.Is(err, fs.ErrPermission) && exists(filepath.Join(folder, command)) { // not a folder we may not enter
			denied = fmt.Errorf("command %q is on its PATH, but not executable", command)
		}
	}
	if denied != nil {
		return "", denied
	}
	return "", fmt.Errorf("command %q is not on its PATH: give its absolute path, or set PATH in the server's env", command)
}

func separators() string {
	if runtime.GOOS == "windows" {
		return `/\`
	}
	return "/"
}

func lookFile(command, dir string) (string, error) {
	path := command
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
		if dir == "" {
			path = "." + string(filepath.Separator) + path
		}
	}
	found, err := exec.LookPath(path)
	switch {
	case err == nil:
		return found, nil
	case isFolder(path):
		return "", fmt.Errorf("command %q is a folder", command)
	case errors.Is(err, fs.ErrPermission):
		return "", fmt.Errorf("command %q is not executable", command)
	case strings.HasPrefix(command, "~"):
		return "", fmt.Errorf("command %q does not exist: ~ is not expanded, write ${HOME} instead", command)
	}
	return "", fmt.Errorf("command %q does not exist", command)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// variable returns the last value of name in env.
func variable(env []string, name string) string {
	value := ""
	for _, entry := range env {
		n, v, _ := strings.Cut(entry, "=")
		if n == name || runtime.GOOS == "windows" && strings.EqualFold(n, name) {
			value = v
		}
	}
	return value
}
