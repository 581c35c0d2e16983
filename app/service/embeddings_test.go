package service_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/fx"

	"mcp-aggregator/app/service"
	"mcp-aggregator/modules/dense"
	"mcp-aggregator/modules/search"
	"mcp-aggregator/testutil"
)

const stdioDesk = `{"command":"desk"}`

func TestToolsAreFoundByMeaning(t *testing.T) {
	e := newEmbedder(t)
	for name, model := range map[string]func(*service.Options){
		"at an endpoint": e.by("m"),
		"in a folder":    func(o *service.Options) { o.Embeddings.Model = model2vecFolder(t) },
	} {
		t.Run(name, func(t *testing.T) {
			s := startSearching(t, model)
			s.await(s.register("desk", "STDIO", stdioDesk).ID, "CONNECTED")
			s.embedded()
			s.finds("umbrella", "desk.probe")
			s.finds("pigeon", "desk.post")
			found, err := s.engine.Search(t.Context(), search.Query{Text: "umbrella", Servers: []string{"nobody"}})
			if err != nil || len(found.Hits) > 0 {
				t.Errorf("of another server: %v, %v", found.Hits, err)
			}
		})
	}
	if n := e.embedded("m", "Parameters: day, place"); n != 1 {
		t.Errorf("the parameters of a tool were embedded %d times", n)
	}
	if e.keys[0] != "Bearer sk-"+testutil.Canary {
		t.Error("the endpoint was not sent its key")
	}
}

func TestWithoutAModelNothingOfItIsBuilt(t *testing.T) {
	s := startSearching(t)
	s.await(s.register("desk", "STDIO", stdioDesk).ID, "CONNECTED")
	s.indexed("forecast")
	if names, legs := s.search("umbrella"); len(names) > 0 || slices.Contains(legs, search.LegDense) {
		t.Errorf("found %q by %q", names, legs)
	}
	if err := fx.New(service.Compose(s.options()), fx.NopLogger, fx.Invoke(func(*dense.Leg) {})).Err(); err == nil {
		t.Error("there is a dense leg")
	}
}

func TestSearchIsLexicalWhileTheEndpointIsDown(t *testing.T) {
	e := newEmbedder(t)
	s := startSearching(t, e.by("m"))
	s.await(s.register("desk", "STDIO", stdioDesk).ID, "CONNECTED")
	s.embedded()
	e.set(true, nil)
	names, legs := s.search("the ledger's umbrella")
	if !slices.Equal(names, []string{"desk.sum"}) || slices.Contains(legs, search.LegDense) {
		t.Errorf("while it is down, found %q by %q", names, legs)
	}
	e.set(false, nil)
	s.finds("parasol", "desk.probe")
	s.stop()
	for _, line := range []string{"vector search failed: searching by words only", "vector search works again"} {
		if n := strings.Count(s.log.String(), line); n != 1 {
			t.Errorf("%q was logged %d times", line, n)
		}
	}
}

func TestAnEndpointThatIsDownAtTheStartIsUsedWhenItIsBack(t *testing.T) {
	e := newEmbedder(t)
	e.set(true, nil)
	s := startSearching(t, e.by("m"))
	s.await(s.register("desk", "STDIO", stdioDesk).ID, "CONNECTED")
	s.indexed("forecast")
	if _, legs := s.search("forecast"); slices.Contains(legs, search.LegDense) {
		t.Errorf("it searches by %q", legs)
	}
	e.set(false, nil)
	s.embedded()
	s.finds("umbrella", "desk.probe")
}

func TestARestartEmbedsNothingAgainAndAnotherModelAll(t *testing.T) {
	for engine, database := range map[string]string{
		"SQLite": filepath.Join(t.TempDir(), "a.db"), "PostgreSQL": postgres.Database(t),
	} {
		t.Run(engine, func(t *testing.T) {
			e := newEmbedder(t)
			s := startSearching(t, at(database), e.by("m"))
			s.register("desk", "STDIO", stdioDesk)
			s.embedded() // what a stop interrupts is embedded again
			// The models differ in what their numbers mean: vectors that were mixed would
			// find another tool.
			for _, model := range []string{"m", "m", "mm", "mm", "m"} {
				s.stop()
				s = startSearching(t, at(database), e.by(model))
				s.embedded()
				s.finds("umbrella", "desk.probe")
				s.finds("pigeon", "desk.post")
			}
			s.stop()
			for _, model := range []string{"m", "mm"} {
				for _, tool := range []string{"Tells the forecast", "Sends a letter", "Adds up a ledger"} {
					if n := e.embedded(model, tool); n != 1 {
						t.Errorf("model %s: %q was embedded %d times", model, tool, n)
					}
				}
			}
		})
	}
}

// The endpoint hangs for as long as the test: what waited for it would not end.
func TestAnEndpointThatHangsDelaysNothing(t *testing.T) {
	e := newEmbedder(t)
	s := startSearching(t, e.by("m"))
	s.await(s.register("desk", "STDIO", stdioDesk).ID, "CONNECTED")
	s.embedded()
	e.set(false, make(chan struct{}))
	for _, query := range []string{"forecast", "one forecast", "two forecasts"} {
		if names, legs := s.search(query); !slices.Equal(names, []string{"desk.probe"}) || slices.Contains(legs, search.LegDense) {
			t.Errorf("found %q by %q", names, legs)
		}
	}
	began := time.Now()
	s.register("other", "STDIO", stdioDesk)
	s.until("a request for another server's tools", func() bool { return e.embedded("m", "other") > 0 })
	s.stop()
	if took := time.Since(began); took > 25*time.Second { // a request for tools may take 30 s
		t.Errorf("the stop took %v", took)
	}
}

func TestAVectorStoreThatIsDownKeepsNothingFromStarting(t *testing.T) {
	e := newEmbedder(t)
	for _, url := range []string{"postgres://u:" + testutil.Canary + "@127.0.0.1:1/db", "http://127.0.0.1:1"} {
		s := startSearching(t, e.by("m"), func(o *service.Options) { o.Embeddings.Vectors = url })
		s.await(s.register("desk", "STDIO", stdioDesk).ID, "CONNECTED")
		s.indexed("forecast")
		s.until("an error", func() bool { return s.leg.Status().Err != nil })
		if names, legs := s.search("forecast"); !slices.Equal(names, []string{"desk.probe"}) || slices.Contains(legs, search.LegDense) {
			t.Errorf("found %q by %q", names, legs)
		}
		s.stop()
	}
}

func TestFlagsOfEmbeddingsThatCannotBe(t *testing.T) {
	for name, test := range map[string]struct {
		e    service.Embeddings
		want string
	}{
		"an endpoint without a model": {service.Embeddings{URL: "http://h/v1"}, "--embeddings-url: add --embeddings-model with the name"},
		"no address":                  {service.Embeddings{URL: "h:1", Model: "m"}, "--embeddings-url: the URL is invalid: use one such as https://"},
		"a key in the address":        {service.Embeddings{URL: "http://u:" + testutil.Canary + "@h", Model: "m"}, "--embeddings-url: the URL must not contain credentials or parameters: put the key into the environment"},
		"no folder":                   {service.Embeddings{Model: "text-embedding-3-small"}, "--embeddings-model text-embedding-3-small: is not a folder: name one with a Model2Vec model, or add --embeddings-url"},
		"vectors of nothing":          {service.Embeddings{Vectors: "http://h"}, "--vectors: there are no vectors without a model: add --embeddings-model"},
		"another store":               {service.Embeddings{URL: "http://h", Model: "m", Vectors: testutil.Canary}, "--vectors: write postgres://"},
		"PostgreSQL wrongly":          {service.Embeddings{URL: "http://h", Model: "m", Vectors: "postgres://u:" + testutil.Canary + "@h:x/d"}, "--vectors: the PostgreSQL URL is invalid: use"},
		"Qdrant wrongly":              {service.Embeddings{URL: "http://h", Model: "m", Vectors: "http://u:" + testutil.Canary + "@h"}, "--vectors: the Qdrant URL is invalid: use"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &running{t: t}
			o := s.options(func(o *service.Options) { o.Embeddings = test.e })
			err := fx.New(service.Compose(o), fx.NopLogger).Err()
			if err == nil || !strings.HasPrefix(err.Error(), test.want) || strings.ContainsAny(err.Error(), "\n") || strings.Contains(err.Error(), testutil.Canary) {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

func TestAFolderThatIsNoModelIsReportedBeforeADatabaseIsMade(t *testing.T) {
	s := &running{t: t}
	o := s.options(func(o *service.Options) { o.Embeddings.Model = t.TempDir() })
	err := fx.New(service.Compose(o), fx.NopLogger).Start(t.Context())
	if err == nil || !strings.Contains(err.Error(), "config.json: ") {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(o.Database); !errors.Is(err, os.ErrNotExist) {
		t.Error("a database was made")
	}
}
