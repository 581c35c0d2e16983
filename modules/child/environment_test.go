package child_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mcp-aggregator/config"
	"mcp-aggregator/modules/child"
)

const chainVariable = config.ChainVariable

// environmentOf returns the environment of a server with these variables of its
// own, as a child sees it: of two with one name the last counts.
func environmentOf(t *testing.T, environ []string, inherit child.Inherit, own ...config.Var) map[string]string {
	t.Helper()
	env := config.NewEnv(environ)
	chain, err := config.NewChain("/etc/c.json", env)
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[string]string)
	for _, entry := range child.NewEnvironment(env, chain, inherit).For(config.ServerConfig{Key: "a", Env: own}) {
		name, value, _ := strings.Cut(entry, "=")
		seen[name] = value
	}
	return seen
}

func TestInheritedVariables(t *testing.T) {
	// A second copy of the table in the code, against accidental changes.
	inherited := []string{
		"PATH", "HOME", "LOGNAME", "SHELL", "TERM", "USER",
		"APPDATA", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PROCESSOR_ARCHITECTURE", "PROGRAMFILES",
		"SYSTEMDRIVE", "SYSTEMROOT", "USERNAME", "USERPROFILE",
		"COMSPEC", "NUMBER_OF_PROCESSORS", "OS", "PATHEXT", "PROGRAMDATA", "ProgramFiles(x86)", "ProgramW6432", "windir",
		"LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "LC_ANYTHING", "TZ", "TMPDIR", "TEMP", "TMP",
		"XDG_CONFIG_HOME", "XDG_RUNTIME_DIR", "XDG_ANYTHING",
		"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy", "Http_Proxy",
		"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS",
		"GOPATH", "GOROOT", "GOBIN", "GOCACHE", "GOMODCACHE", "GOENV", "GOFLAGS", "GOPROXY", "GOPRIVATE",
		"GONOPROXY", "GONOSUMDB", "GOSUMDB", "GOINSECURE", "GOTOOLCHAIN", "GOTMPDIR",
		"GO111MODULE", "GOMAXPROCS", "GOAMD64",
		"NVM_DIR", "VOLTA_HOME", "PYENV_ROOT", "JAVA_HOME", "DOCKER_HOST", "UV_CACHE_DIR",
		"npm_config_cache", "npm_config_prefix", "npm_config_registry", "npm_config_userconfig",
	}
	// What must not be inherited.
	kept := []string{
		"OPENAI_API_KEY", "GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "DATABASE_URL", "LD_PRELOAD", "NODE_OPTIONS",
		"GOOGLE_API_KEY", "GOOGLE_APPLICATION_CREDENTIALS", "GO", "MYGOPATH", "npm_config__auth", "NPM_TOKEN",
		"PATHS", "MYPATH", "XHOME", "LC", "XDG", "LCX", "MY_LC_ALL", "SSH_AUTH_SOCK",
	}
	for _, name := range slices.Concat(inherited, kept) {
		t.Run(name, func(t *testing.T) {
			environ := []string{name + "=v=1", "UNRELATED=2"}
			value, there := environmentOf(t, environ, false)[name]
			want := slices.Contains(inherited, name)
			if there != want || want && value != "v=1" {
				t.Errorf("the child has it: %t (%q), want %t", there, value, want)
			}
			if value := environmentOf(t, environ, true)[name]; value != "v=1" {
				t.Errorf("with everything inherited the child has %q", value)
			}
		})
	}
}

func TestAnEmptyVariableIsInherited(t *testing.T) {
	if value, there := environmentOf(t, []string{"HOME="}, false)["HOME"]; !there || value != "" {
		t.Errorf("HOME is there: %t (%q)", there, value)
	}
}

func TestOwnVariablesOverrideInheritedOnes(t *testing.T) {
	for _, inherit := range []child.Inherit{false, true} {
		got := environmentOf(t, []string{"PATH=/theirs", "HOME=/home"}, inherit,
			config.Var{Name: "PATH", Value: "/own"}, config.Var{Name: "EMPTY", Value: ""})
		if got["PATH"] != "/own" || got["HOME"] != "/home" {
			t.Errorf("inherit %t: %q", inherit, got)
		}
		if _, there := got["EMPTY"]; !there {
			t.Errorf("inherit %t: an empty variable is missing", inherit)
		}
	}
}

func TestTheChainOfConfigFilesIsAlwaysPassedOn(t *testing.T) {
	tests := []struct {
		name    string
		environ []string
		inherit child.Inherit
		own     []config.Var
		want    string
	}{
		{"the outermost", nil, false, nil, `["/etc/c.json"]`},
		{"within another", []string{chainVariable + `=["/outer.json"]`}, false, nil, `["/outer.json","/etc/c.json"]`},
		{"with everything inherited", []string{chainVariable + `=["/outer.json"]`}, true, nil, `["/outer.json","/etc/c.json"]`},
		{"over the server's own", nil, false, []config.Var{{Name: chainVariable, Value: "[]"}}, `["/etc/c.json"]`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := environmentOf(t, test.environ, test.inherit, test.own...)[chainVariable]; got != test.want {
				t.Errorf("chain %s, want %s", got, test.want)
			}
		})
	}
}

func TestTheSecretsOfOneServerAreNotInTheEnvironmentOfAnother(t *testing.T) {
	env := child.NewEnvironment(config.NewEnv([]string{"HOME=/home", "USER=u", "LANG=C", "TZ=Z", "PATH=/bin"}), config.Chain{}, false)
	one := env.For(config.ServerConfig{Key: "one", Env: []config.Var{{Name: "API_KEY", Value: "of one"}}})
	two := env.For(config.ServerConfig{Key: "two", Env: []config.Var{{Name: "TOKEN", Value: "of two"}}})
	again := env.For(config.ServerConfig{Key: "one", Env: []config.Var{{Name: "API_KEY", Value: "of one"}}})
	if !slices.Equal(one, again) {
		t.Errorf("the environment of the first changed from %q to %q", one, again)
	}
	if slices.Contains(two, "API_KEY=of one") || slices.Contains(one, "TOKEN=of two") {
		t.Errorf("environments %q and %q", one, two)
	}
	if !slices.Contains(one, "API_KEY=of one") || !slices.Contains(two, "TOKEN=of two") {
		t.Errorf("environments %q and %q", one, two)
	}
}

// The table in the documentation must match the code.
func TestTheDocumentationNamesEveryInheritedVariable(t *testing.T) {
	text, err := os.ReadFile("../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "## What a server's environment holds")
	section, _, _ = strings.Cut(section, "\n## ")
	var documented []string
	for _, match := range regexp.MustCompile("`([A-Z0-9_()]+)`").FindAllStringSubmatch(section, -1) {
		documented = append(documented, match[1])
	}
	for _, name := range child.InheritedNames {
		if !slices.Contains(documented, name) {
			t.Errorf("%s is inherited and not documented", name)
		}
	}
	for _, name := range documented {
		_, there := environmentOf(t, []string{name + "=1"}, false)[name]
		if kept := name == "GOOGLE_API_KEY"; there == kept {
			t.Errorf("%s is documented wrongly", name)
		}
	}
}
