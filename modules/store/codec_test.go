package store_test

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"mcp-aggregator/modules/servers"
	"mcp-aggregator/modules/store"
	"mcp-aggregator/testutil/pgtest"
)

// openSealed opens a store whose encoding differs every time, as that of encryption does.
func openSealed(tb testing.TB, url string) *store.Store {
	tb.Helper()
	s := open(tb, url)
	s.SetCodec(func(text string) (string, error) {
		return rand.Text() + "." + base64.StdEncoding.EncodeToString([]byte(text)), nil
	}, func(text string) (string, error) {
		_, sealed, found := strings.Cut(text, ".")
		if !found {
			return "", errors.New("it is not sealed")
		}
		plain, err := base64.StdEncoding.DecodeString(sealed)
		return string(plain), err
	})
	return s
}

func TestAStoreWithACodecConforms(t *testing.T) {
	testConformance(t, func(t *testing.T) *store.Store { t.Helper(); return openSealed(t, newFile(t)) })
}

// storedConnection returns the bytes of the only connection_config, and when it was written.
func storedConnection(t *testing.T, url string) (text, updatedAt string) {
	t.Helper()
	row := database(t, url).QueryRowContext(t.Context(), "SELECT connection_config, CAST(updated_at AS text) FROM external_servers")
	if err := row.Scan(&text, &updatedAt); err != nil {
		t.Fatal(err)
	}
	return text, updatedAt
}

// announced reports whether a change was announced since the last call.
func announced(t *testing.T, url string, listener *pgx.Conn) bool {
	t.Helper()
	if listener == nil { // SQLite has no other replicas
		return false
	}
	pgtest.Execute(t, url, "NOTIFY mcp_aggregator, 'the end'")
	for found := false; ; found = true {
		n, err := listener.WaitForNotification(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if n.Payload == "the end" {
			return found
		}
	}
}

func TestAnUnchangedRecordIsNeitherWrittenNorAnnouncedWhateverTheEncoding(t *testing.T) {
	for engine, address := range engines() {
		t.Run(engine, func(t *testing.T) {
			url := address(t)
			s := openSealed(t, url)
			r := servers.Server{
				ID: uuid.NewString(), Name: "a", Transport: servers.Stdio, Description: "a\x00", ConnectedAt: time.Now(),
				Connection: servers.Connection{Command: "x", Args: []string{"y"}, Env: map[string]string{"TOKEN": "secret"}},
			}
			if err := s.Create(t.Context(), r); err != nil {
				t.Fatal(err)
			}
			var listener *pgx.Conn
			if engine == "PostgreSQL" {
				listener = listen(t, url)
			}
			text, updatedAt := storedConnection(t, url)
			if strings.Contains(text, "secret") {
				t.Fatalf("it is not sealed: %s", text)
			}
			for name, change := range map[string]func(*servers.Server){
				"nothing is touched":        func(*servers.Server) {},
				"each part is equal":        func(s *servers.Server) { s.Connection.Env = maps.Clone(s.Connection.Env) },
				"what is empty is absent":   func(s *servers.Server) { s.Connection.Headers = map[string]string{} },
				"a text is cleaned as then": func(s *servers.Server) { s.Description = "a\x00" },
				"a time is less than a microsecond later": func(s *servers.Server) {
					s.ConnectedAt = s.ConnectedAt.Add(time.Nanosecond)
				},
			} {
				update(t, s, r.ID, change)
				if now, at := storedConnection(t, url); now != text || at != updatedAt {
					t.Errorf("%s: the record was written", name)
				}
				if announced(t, url, listener) {
					t.Errorf("%s: a change was announced", name)
				}
			}
			update(t, s, r.ID, func(s *servers.Server) { s.Connection.Env["TOKEN"] = "another" })
			if now, at := storedConnection(t, url); now == text || at == updatedAt {
				t.Error("a change was not written")
			}
			if listener != nil && !announced(t, url, listener) {
				t.Error("a change was not announced")
			}
		})
	}
}

func update(t *testing.T, s *store.Store, id string, change func(*servers.Server)) {
	t.Helper()
	_, err := s.Update(t.Context(), id, func(r *servers.Server) error { change(r); return nil })
	if err != nil {
		t.Fatal(err)
	}
}

func TestAnErrorOfTheEncodingNamesTheServer(t *testing.T) {
	s := open(t, newFile(t))
	id := register(t, s)
	refuse := func(string) (string, error) { return "", errors.New("no key") }
	s.SetCodec(refuse, refuse)
	_, read := s.Servers(t.Context())
	for what, err := range map[string]error{
		"create": s.Create(t.Context(), servers.Server{ID: uuid.NewString(), Name: "n" + id}), "read": read,
	} {
		if err == nil || err.Error() != `server "n`+id+`": connection_config: no key` {
			t.Errorf("%s: %v", what, err)
		}
	}
}
