package dense_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/fx"
	"go.uber.org/fx/fxtest"

	"mcp-aggregator/modules/dense"
	"mcp-aggregator/modules/dense/flat"
	"mcp-aggregator/modules/dense/model2vec"
	"mcp-aggregator/modules/dense/openai"
	"mcp-aggregator/modules/dense/pgvector"
	"mcp-aggregator/modules/dense/qdrant"
	"mcp-aggregator/modules/store"
)

// base returns the options of every composition.
func base() fx.Option {
	return fx.Options(fx.NopLogger, dense.Module, fx.Supply(dense.Options{QueryTimeout: time.Minute}), fx.Provide(func() *slog.Logger { return slog.New(slog.DiscardHandler) }))
}

func TestEachStoreStartsWithoutItsServer(t *testing.T) {
	for name, vectors := range map[string]fx.Option{
		"flat":     fx.Options(flat.Module, fx.Provide(func() flat.VectorCache { return nil })),
		"pgvector": fx.Options(pgvector.Module, fx.Supply(pgvector.Options{URL: "postgres://u@127.0.0.1:1/db"})),
		"qdrant":   fx.Options(qdrant.Module, fx.Supply(qdrant.Options{URL: "http://127.0.0.1:1"})),
	} {
		t.Run(name, func(t *testing.T) {
			var leg *dense.Leg
			app := fxtest.New(t, base(), vectors, openai.Module, fx.Supply(openai.Options{URL: "http://127.0.0.1:1/v1", Model: "m"}), fx.Populate(&leg))
			app.RequireStart()
			leg.Replace("git", git())
			if known, ok := errors.AsType[*dense.Error](scoresError(t, leg)); !ok || known.Code != dense.NotReady {
				t.Errorf("got %v", known)
			}
			app.RequireStop()
		})
	}
}

func scoresError(t *testing.T, leg *dense.Leg) error {
	t.Helper()
	_, err := leg.Scores(t.Context(), "ticket", 3)
	return err
}

func TestAMissingFolderFailsTheStart(t *testing.T) {
	app := fx.New(base(), flat.Module, fx.Provide(func() flat.VectorCache { return nil }),
		model2vec.Module, fx.Supply(model2vec.Folder(filepath.Join(t.TempDir(), "none"))), fx.Invoke(func(*dense.Leg) {}))
	if err := app.Start(t.Context()); err == nil {
		t.Error("the start succeeded")
	}
}

func TestVectorsAreNotRequestedAgainAfterARestart(t *testing.T) {
	e := newEmbedder()
	endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { serveEmbeddings(w, r, e) }))
	defer endpoint.Close()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	file := filepath.Join(t.TempDir(), "servers.db")
	for range 2 {
		var leg *dense.Leg
		app := fxtest.New(t, base(), flat.Module, openai.Module, store.Module,
			fx.Provide(func(s *store.Store) flat.VectorCache { return s }),
			fx.Supply(openai.Options{URL: endpoint.URL, Model: "m", Transport: transport}, store.URL(file), store.Migrated(false)),
			fx.Populate(&leg))
		app.RequireStart()
		leg.Replace("git", git())
		for deadline := time.Now().Add(30 * time.Second); leg.Status().Embedded < 3 && time.Now().Before(deadline); {
			time.Sleep(time.Millisecond)
		}
		if got := first(t, leg, "ticket"); got != "git.create_issue" {
			t.Errorf("got %s", got)
		}
		app.RequireStop()
	}
	if _, texts := e.asked("git"); texts != 3 {
		t.Errorf("%d texts were embedded", texts)
	}
}

// serveEmbeddings implements OpenAI's embeddings API.
func serveEmbeddings(w http.ResponseWriter, r *http.Request, e *embedder) {
	var request struct {
		Input []string `json:"input"`
	}
	text, _ := io.ReadAll(r.Body)
	if err := json.Unmarshal(text, &request); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	vectors, _ := e.Embed(context.Background(), request.Input)
	type entry struct {
		Index     int       `json:"index"`
		Embedding []float32 `json:"embedding"`
	}
	var answer struct {
		Data []entry `json:"data"`
	}
	for i, v := range vectors {
		answer.Data = append(answer.Data, entry{i, v})
	}
	_ = json.NewEncoder(w).Encode(answer)
}
