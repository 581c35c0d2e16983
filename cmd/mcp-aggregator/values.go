package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/url"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/kong"
	"golang.org/x/term"

	"mcp-aggregator/app/admin"
)

// connection is embedded by the commands of the client.
type connection struct {
	Address address `help:"Where the service is." default:"http://127.0.0.1:8080" env:"MCP_AGGREGATOR_ADDRESS"`
	Token   token   `help:"Token of the service." placeholder:"TOKEN" env:"MCP_AGGREGATOR_TOKEN"`
}

// AfterApply is called by kong. It validates here, because kong does not validate values
// that come from environment variables.
func (c connection) AfterApply(ctx *kong.Context) error {
	if err := cmp.Or(c.Address.check(), c.Token.check()); err != nil {
		return err
	}
	width, _, _ := term.GetSize(int(os.Stdout.Fd())) // 0 if it is no terminal
	ctx.Bind(admin.NewClient(admin.Options{Address: string(c.Address), Token: string(c.Token), Stdout: os.Stdout, Width: width}))
	return nil
}

// token is the bearer token of a service.
type token string

func (t token) check() error { return checkHeader("--token", string(t)) }

// checkHeader reports whether a header can hold what a flag or a variable says.
func checkHeader(name, value string) error {
	if strings.ContainsFunc(value, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return errors.New(name + ": must have no spaces, line breaks or characters beyond ASCII: no header can hold them")
	}
	return nil
}

// address is the URL of a service.
type address string

func (a address) check() error {
	u, err := url.Parse(string(a))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return errors.New("--address: must be a URL like http://127.0.0.1:8080")
	}
	if u.User != nil {
		return errors.New("--address: must hold no user: the service wants a token")
	}
	return nil
}

// assignments are texts NAME=VALUE.
type assignments []string

// Validate is called by kong.
func (a assignments) Validate() error {
	for _, text := range a {
		if name, _, ok := strings.Cut(text, "="); !ok || name == "" {
			return errors.New("must be NAME=VALUE") // the text may be a secret
		}
	}
	return nil
}

func (a assignments) pairs() map[string]string {
	pairs := make(map[string]string, len(a))
	for _, text := range a {
		name, value, _ := strings.Cut(text, "=")
		pairs[name] = value
	}
	return pairs
}

// headers are texts NAME: VALUE.
type headers []string

// Validate is called by kong.
func (h headers) Validate() error {
	for _, text := range h {
		if name, _, ok := strings.Cut(text, ":"); !ok || strings.TrimSpace(name) == "" {
			return errors.New("must be 'NAME: VALUE'") // the text may be a secret
		}
	}
	return nil
}

func (h headers) pairs() map[string]string {
	pairs := make(map[string]string, len(h))
	for _, text := range h {
		name, value, _ := strings.Cut(text, ":")
		pairs[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	return pairs
}

// jsonObject is a JSON object as the user typed it.
type jsonObject string

// Validate is called by kong.
func (o jsonObject) Validate() error {
	if o == "" {
		return nil // not given
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal([]byte(o), &object); err != nil || object == nil || !utf8.ValidString(string(o)) {
		return errors.New("must be one JSON object, in UTF-8")
	}
	return nil
}
