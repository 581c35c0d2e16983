package child

import (
	"regexp"
	"slices"
	"strings"

	"mcp-aggregator/config"
	"mcp-aggregator/modules/redact"
)

// inheritedNames are the variables of the aggregator's own environment that
// every child gets. Everything else is withheld: one server's API key is no
// other server's business. Case is ignored, because proxies and npm's settings
// are written both ways.
var inheritedNames = []string{
	// The safe list of the MCP SDKs, with its Windows counterparts.
	"PATH", "HOME", "LOGNAME", "SHELL", "TERM", "USER",
	"APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "NUMBER_OF_PROCESSORS",
	"OS", "PATHEXT", "PROCESSOR_ARCHITECTURE", "PROGRAMDATA", "PROGRAMFILES",
	"PROGRAMFILES(X86)", "PROGRAMW6432", "SYSTEMDRIVE", "SYSTEMROOT", "USERNAME",
	"USERPROFILE", "WINDIR",
	// Locale, time zone and temporary folders.
	"LANG", "LANGUAGE", "TZ", "TMPDIR", "TEMP", "TMP",
	// Proxies and TLS roots.
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS",
	// Where tool chains live.
	"NVM_DIR", "VOLTA_HOME", "PYENV_ROOT", "JAVA_HOME", "DOCKER_HOST", "UV_CACHE_DIR",
	"NPM_CONFIG_CACHE", "NPM_CONFIG_PREFIX", "NPM_CONFIG_REGISTRY", "NPM_CONFIG_USERCONFIG",
}

// inheritedFamilies are the families of variables that every child gets: of
// locales, of the XDG folders, and of Go, whose own names hold no underscore
// (GOOGLE_API_KEY is not one).
var inheritedFamilies = regexp.MustCompile(`^(LC_.*|XDG_.*|GO[A-Z0-9]+)$`)

// Environment builds the environment of each child.
type Environment struct {
	base  []string
	chain config.Chain
}

// NewEnvironment returns what children inherit of env: the safe list, or
// everything when inheritAll is set.
func NewEnvironment(env config.Env, chain config.Chain, inherit Inherit) *Environment {
	e := &Environment{chain: chain}
	for name, value := range env.All() {
		if bool(inherit) || inherited(name) {
			e.base = append(e.base, name+"="+value)
		}
	}
	return e
}

// Inherit says whether children get the whole environment.
type Inherit bool

func inherited(name string) bool {
	upper := strings.ToUpper(name)
	return slices.Contains(inheritedNames, upper) || inheritedFamilies.MatchString(upper)
}

// For returns the environment of server as NAME=VALUE: what it inherits, its
// own variables over them, and the chain of config files being served. Where a
// name occurs twice the last one counts, as in os/exec.
func (e *Environment) For(server config.ServerConfig) []string {
	env := slices.Clone(e.base)
	for _, v := range server.Env {
		env = append(env, v.Name+"="+v.Value)
	}
	if e.chain.IsZero() {
		return env
	}
	return append(env, config.ChainVariable+"="+e.chain.Value())
}

// SecretsOf returns the texts that no message may show of a server.
func SecretsOf(server config.ServerConfig) []string {
	env := make(map[string]string, len(server.Env))
	for _, v := range server.Env {
		env[v.Name] = v.Value
	}
	return redact.Connection{Command: server.Command, Args: server.Args, Env: env}.Secrets(server.Secrets...)
}
