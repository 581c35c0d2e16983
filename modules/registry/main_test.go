package registry_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"mcp-aggregator/modules/registry"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// tb is what *testing.T and *rapid.T have in common.
type tb interface {
	Helper()
	Fatalf(format string, args ...any)
}

// warningLog is the log of a registry.
type warningLog struct{ bytes.Buffer }

// takeLines returns the lines since the last call, without times.
func (l *warningLog) takeLines() []string {
	defer l.Reset()
	return strings.Split(strings.TrimSuffix(l.String(), "\n"), "\n")
}

func newRegistryWithLog(order []string, separator string) (*registry.ToolRegistry, *warningLog) {
	log := new(warningLog)
	handler := slog.NewTextHandler(log, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}})
	return registry.NewToolRegistry(order, registry.Separator(separator), registry.Filter{}, slog.New(handler)), log
}

func newRegistry(separator string, order ...string) *registry.ToolRegistry {
	return registry.NewToolRegistry(order, registry.Separator(separator), registry.Filter{}, slog.New(slog.DiscardHandler))
}

// definitionsOf converts texts to definitions.
func definitionsOf(texts ...string) (definitions [][]byte) {
	for _, text := range texts {
		definitions = append(definitions, []byte(text))
	}
	return definitions
}

// definitionsNamed returns definitions with those raw names.
func definitionsNamed(raw ...string) (definitions [][]byte) {
	for _, name := range raw {
		definitions = append(definitions, []byte(`{"name":`+name+`}`))
	}
	return definitions
}

// publicNames returns the public names in list order.
func publicNames(s *registry.Snapshot) string {
	var names []string
	for _, e := range s.Entries() {
		names = append(names, e.Name)
	}
	return strings.Join(names, " ")
}

// plain is the naming for clients without a rule.
var plain = registry.Auto.NamingFor("")

// lookup finds a tool, which must exist.
func lookup(t tb, s *registry.Snapshot, name string) *registry.Entry {
	t.Helper()
	e, ok := s.View(plain).Lookup([]byte(name))
	if !ok || e.Name != name {
		t.Fatalf("no tool %q among %q", name, publicNames(s))
	}
	return e
}
