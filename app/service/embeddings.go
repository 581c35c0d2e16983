package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"go.uber.org/fx"

	"mcp-aggregator/modules/dense"
	"mcp-aggregator/modules/dense/flat"
	"mcp-aggregator/modules/dense/model2vec"
	"mcp-aggregator/modules/dense/openai"
	"mcp-aggregator/modules/dense/pgvector"
	"mcp-aggregator/modules/dense/qdrant"
	"mcp-aggregator/modules/search"
	"mcp-aggregator/modules/store"
)

// Embeddings are the flags of the search by meaning. Without a model there is none.
type Embeddings struct {
	URL         string // of an endpoint of OpenAI's form; empty if Model is a folder
	Model       string // its name at the endpoint, or the path of a Model2Vec folder
	Key         string // of the endpoint
	DailyTokens int    // estimated, that are sent to the endpoint a day; 0 means no limit
	ToolPrefix  string // what the model wants before a document
	QueryPrefix string // what the model wants before a query
	Vectors     string // URL of PostgreSQL or Qdrant; empty for the service's database
	QdrantKey   string
}

// byMeaning returns what the search by meaning consists of, which is nothing unless it is
// chosen.
func byMeaning(o Options) fx.Option {
	e := o.Embeddings
	if e.URL == "" && e.Model == "" && e.Vectors == "" {
		return fx.Supply(search.Options{})
	}
	embedder, err := e.embedder()
	vectors, vectorsErr := e.vectors()
	if err = errors.Join(err, vectorsErr); err != nil {
		return fx.Error(&configError{err})
	}
	return fx.Options(
		dense.Module, embedder, vectors,
		fx.Supply(dense.Options{TokensPerDay: e.DailyTokens, ToolPrefix: e.ToolPrefix, QueryPrefix: e.QueryPrefix}),
		fx.Provide(func(l *dense.Leg) search.Options { return search.Options{Dense: denseLeg{l}} }),
		fx.Invoke(func(dense.Embedder) {}), // report a wrong folder before a database is created
	)
}

// embedder returns the module of the model, or an error about the flags.
func (e Embeddings) embedder() (fx.Option, error) {
	switch {
	case e.Model == "" && e.URL == "":
		return nil, errors.New("--vectors: there are no vectors without a model: add --embeddings-model")
	case e.Model == "":
		return nil, errors.New("--embeddings-url: add --embeddings-model with the name that the endpoint has for the model")
	case e.URL == "":
		if info, err := os.Stat(e.Model); err != nil || !info.IsDir() {
			return nil, fmt.Errorf("--embeddings-model %s: is not a folder: name one with a Model2Vec model, or add --embeddings-url", e.Model)
		}
		return fx.Options(model2vec.Module, fx.Supply(model2vec.Folder(e.Model))), nil
	}
	o := openai.Options{URL: e.URL, Model: e.Model, Key: e.Key}
	if _, err := openai.New(o); err != nil {
		return nil, fmt.Errorf("--embeddings-url: %s", strings.TrimPrefix(err.Error(), "embeddings: "))
	}
	return fx.Options(openai.Module, fx.Supply(o)), nil
}

// vectors returns the module of the vector store, or an error about the flag, which may
// hold a password.
func (e Embeddings) vectors() (module fx.Option, err error) {
	if e.Vectors == "" {
		return fx.Options(flat.Module, fx.Provide(func(s *store.Store) flat.VectorCache { return s })), nil
	}
	scheme, _, _ := strings.Cut(e.Vectors, "://")
	switch scheme {
	case "postgres", "postgresql":
		o := pgvector.Options{URL: e.Vectors}
		module, err = fx.Options(pgvector.Module, fx.Supply(o)), o.Check()
	case "http", "https":
		o := qdrant.Options{URL: e.Vectors, Key: e.QdrantKey}
		module, err = fx.Options(qdrant.Module, fx.Supply(o)), o.Check()
	default:
		err = errors.New("write postgres://USER:PASSWORD@HOST/NAME for PostgreSQL with pgvector, or http://HOST:6334 for Qdrant; " +
			"without it the service's database has them")
	}
	if err != nil {
		err = fmt.Errorf("--vectors: %s", strings.TrimPrefix(err.Error(), "vectors: "))
	}
	return module, err
}

// denseLeg implements [search.Dense] with a leg.
type denseLeg struct{ *dense.Leg }

// Scores implements [search.Dense].
func (l denseLeg) Scores(ctx context.Context, query string, limit int, servers []string) ([]search.DenseScore, error) {
	found, err := l.ScoresWithin(ctx, query, limit, servers)
	scores := make([]search.DenseScore, len(found))
	for i, s := range found {
		scores[i] = search.DenseScore(s)
	}
	return scores, err
}

// Replace implements [search.Dense].
func (l denseLeg) Replace(server string, tools []search.Tool) {
	all := make([]dense.Tool, len(tools))
	for i, t := range tools {
		all[i] = dense.Tool{
			Payload: dense.Payload{ServerID: t.ServerID, Server: t.Server, Name: t.OriginalName},
			Title:   t.Title, Description: t.Description, Parameters: parametersOf(t.InputSchema),
		}
	}
	l.Leg.Replace(server, all)
}

// maxSchema is how many bytes of JSON a schema has at most whose parameters are embedded.
const maxSchema = 1 << 20

// parametersOf returns the names of a schema's properties, in one order.
func parametersOf(schema []byte) []string {
	var s struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if len(schema) > maxSchema || json.Unmarshal(schema, &s) != nil {
		return nil
	}
	return slices.Sorted(maps.Keys(s.Properties))
}
