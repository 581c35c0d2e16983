package qdrant_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	client "github.com/qdrant/go-client/qdrant"

	"mcp-aggregator/modules/dense"
	"mcp-aggregator/modules/dense/qdrant"
	"mcp-aggregator/testutil"
	"mcp-aggregator/testutil/vectortest"
)

func TestMain(m *testing.M) { os.Exit(testutil.Suite{Tests: m}.Run()) }

func open(t *testing.T, o qdrant.Options) *qdrant.Store {
	t.Helper()
	s := qdrant.New(o)
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestTheClientKeepsTheContractWithAFake(t *testing.T) {
	vectortest.Run(t, func(t *testing.T) dense.VectorStore {
		t.Helper()
		url, _ := new(fake).serve(t, "127.0.0.1:0")
		return open(t, qdrant.Options{URL: url})
	})
}

// TestQdrantKeepsTheContract needs QDRANT_URL, with the gRPC port of a Qdrant, and
// optionally QDRANT_API_KEY.
func TestQdrantKeepsTheContract(t *testing.T) {
	url := os.Getenv("QDRANT_URL")
	if url == "" {
		t.Skip("QDRANT_URL is not set")
	}
	vectortest.Run(t, func(t *testing.T) dense.VectorStore {
		t.Helper()
		return open(t, qdrant.Options{URL: url, Key: os.Getenv("QDRANT_API_KEY"), Prefix: "mcp_test_" + strings.ReplaceAll(uuid.NewString(), "-", "")})
	})
}

func space(model string) dense.Space { return dense.Space{Model: model, Dimension: 3} }

func one() dense.Vector {
	return dense.Vector{Point: dense.Point{Hash: dense.Hash{7}, Payload: dense.Payload{
		ServerID: "id", Server: "git", Name: "create_issue", Classified: true, SkillIDs: []string{"a", "b"},
	}}, Values: []float32{1, 0, 0}}
}

func put(t *testing.T, s *qdrant.Store) {
	t.Helper()
	if err := s.Put(t.Context(), space("m"), []dense.Vector{one()}); err != nil {
		t.Fatal(err)
	}
}

func TestThePayloadHasTheSpecifiedFields(t *testing.T) {
	var f fake
	url, stop := f.serve(t, "127.0.0.1:0")
	put(t, open(t, qdrant.Options{URL: url}))
	stop()
	for name, c := range f.collections {
		if !strings.HasPrefix(name, "mcp_tools_") || !strings.HasSuffix(name, "_3") {
			t.Errorf("the collection is %s", name)
		}
		for field, kind := range map[string]client.FieldType{
			"source_server_id": client.FieldType_FieldTypeKeyword, "source_server_name": client.FieldType_FieldTypeKeyword,
			"original_name": client.FieldType_FieldTypeText, "is_external": client.FieldType_FieldTypeBool,
			"is_classified": client.FieldType_FieldTypeBool, "skill_ids": client.FieldType_FieldTypeKeyword,
		} {
			if got, ok := c.fields[field]; !ok || got != kind {
				t.Errorf("the index of %s is %v", field, got)
			}
		}
		for id, p := range c.points {
			v := p.GetPayload()
			got := fmt.Sprint(id, v["source_server_id"].GetStringValue(), v["source_server_name"].GetStringValue(), v["original_name"].GetStringValue(),
				v["is_external"].GetBoolValue(), v["is_classified"].GetBoolValue(), len(v["skill_ids"].GetListValue().GetValues()))
			if got != "07000000-0000-0000-0000-000000000000idgitcreate_issuetrue true 2" {
				t.Errorf("got %s", got)
			}
		}
	}
}

func TestTheStoreRecoversWhenQdrantReturns(t *testing.T) {
	url, stop := new(fake).serve(t, "127.0.0.1:0")
	stop()
	s := open(t, qdrant.Options{URL: url}) // must start nevertheless
	nearest := func() error {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		_, err := s.Nearest(ctx, space("m"), []float32{1, 0, 0}, 3, []string{"git"})
		return err
	}
	if err := nearest(); err == nil || !strings.HasPrefix(err.Error(), "vectors: Qdrant: ") || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v", err)
	}
	for range 2 { // at the start, and later with an empty Qdrant
		_, stop = new(fake).serve(t, strings.TrimPrefix(url, "http://"))
		eventually(t, func() error {
			if err := nearest(); err != nil {
				return err
			}
			return s.Put(t.Context(), space("m"), []dense.Vector{one()})
		})
		stop()
		if err := nearest(); err == nil {
			t.Error("there is no error")
		}
	}
}

// eventually retries do, because the client's connection waits before it reconnects.
func eventually(t *testing.T, do func() error) {
	t.Helper()
	var err error
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if err = do(); err == nil {
			return
		}
	}
	t.Fatal(err)
}

func TestReplicasShareACollection(t *testing.T) {
	var f fake
	url, _ := f.serve(t, "127.0.0.1:0")
	put(t, open(t, qdrant.Options{URL: url}))
	known, err := open(t, qdrant.Options{URL: url}).Refresh(t.Context(), space("m"), []dense.Point{one().Point})
	if err != nil || len(known) != 1 || strings.Contains(f.names(), " ") {
		t.Errorf("got %v, %v, of %s", known, err, f.names())
	}
}

func TestForeignCollectionsAreLeftAlone(t *testing.T) {
	var f fake
	url, _ := f.serve(t, "127.0.0.1:0")
	put(t, open(t, qdrant.Options{URL: url, Prefix: "other"}))
	s := open(t, qdrant.Options{URL: url})
	put(t, s)
	if err := s.DeleteUnused(t.Context(), time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if known, err := s.Refresh(t.Context(), space("m"), []dense.Point{one().Point}); err != nil || len(known) != 0 {
		t.Errorf("got %v, %v", known, err)
	}
	known, err := open(t, qdrant.Options{URL: url, Prefix: "other"}).Refresh(t.Context(), space("m"), []dense.Point{one().Point})
	if err != nil || len(known) != 1 {
		t.Errorf("got %v, %v", known, err)
	}
}

func TestTheKeyIsSentAndNeverShown(t *testing.T) {
	f := fake{key: "canary-0123456789"}
	url, _ := f.serve(t, "127.0.0.1:0")
	put(t, open(t, qdrant.Options{URL: url, Key: f.key}))
	err := open(t, qdrant.Options{URL: url, Key: f.key + "x"}).Put(t.Context(), space("m"), []dense.Vector{one()})
	if err == nil || err.Error() != "vectors: Qdrant: Invalid API key" {
		t.Errorf("got %v", err)
	}
}

func TestInvalidURLsAreRejected(t *testing.T) {
	for name, test := range map[string]struct{ url, key, want string }{
		"nothing":             {"", "", "URL is invalid"},
		"a host alone":        {"localhost:6334", "", "URL is invalid"},
		"a key in the URL":    {"https://u:canary@host:6334", "", "URL is invalid"},
		"a path":              {"http://host:6334/collections", "", "URL is invalid"},
		"a port of letters":   {"http://host:port", "", "URL is invalid"},
		"a key in plain text": {"http://db.example.com:6334", "canary", "in plain text: use https://"},
	} {
		t.Run(name, func(t *testing.T) {
			err := qdrant.New(qdrant.Options{URL: test.url, Key: test.key}).Start(t.Context())
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "canary") {
				t.Errorf("got %v", err)
			}
		})
	}
}
