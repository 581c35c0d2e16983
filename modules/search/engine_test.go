package search_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/fx"

	"mcp-aggregator/modules/search"
)

// vectors is a dense leg with scripted answers.
type vectors struct {
	scores  []search.DenseScore
	err     error
	hangs   bool
	asked   []string // the servers, each time
	changes []string
}

func (v *vectors) Scores(ctx context.Context, _ string, _ int, servers []string) ([]search.DenseScore, error) {
	v.asked = append(v.asked, strings.Join(servers, " "))
	if v.hangs {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return v.scores, v.err
}

func (v *vectors) Replace(server string, tools []search.Tool) {
	v.changes = append(v.changes, server+strings.Repeat("+", len(tools)))
}

func (v *vectors) Remove(server string) { v.changes = append(v.changes, server+"-") }

func withVectors(log *slog.Logger, v *vectors) *search.Engine {
	e := search.NewEngine(nil, log, search.Options{Dense: v})
	e.Replace("github", []search.Tool{
		tool("github", "create_issue", "Create an issue in a repository"),
		tool("github", "list_commits", "Show the history of a branch"),
	})
	e.Replace("mail", []search.Tool{tool("mail", "send", "Send a letter")})
	return e
}

func TestVectorsAddToWords(t *testing.T) {
	v := &vectors{scores: []search.DenseScore{
		{Server: "mail", OriginalName: "send", Cosine: .8},
		{Server: "github", OriginalName: "create_issue", Cosine: .2},
		{Server: "github", OriginalName: "gone", Cosine: .9},
		{Server: "nobody", OriginalName: "send", Cosine: .9},
		{Server: "github", OriginalName: "list_commits", Cosine: -.5},
	}}
	e := withVectors(quiet(), v)
	got, err := e.Search(t.Context(), search.Query{Text: "issue", Explain: true})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"github.create_issue", "mail.send"}; !slices.Equal(names(got), want) {
		t.Fatalf("found %q, want %q", names(got), want)
	}
	if want := []search.Leg{search.LegLexical, search.LegDense}; !slices.Equal(got.Legs, want) {
		t.Errorf("the legs are %q", got.Legs)
	}
	// The lexical leg contributes .6 and the dense leg .4*.2/.8, against .4 alone.
	if ratio := got.Hits[1].Score / got.Hits[0].Score; !near(ratio, .4/.7) {
		t.Errorf("the second has %v of the first's score", ratio)
	}
	for _, h := range got.Hits {
		legs := h.Explanation.Legs
		if !near(legs[search.LegLexical]+legs[search.LegDense], h.Score) || h.Score > 1 {
			t.Errorf("%s: %v is explained as %v", h.Name, h.Score, legs)
		}
	}
	for _, q := range []search.Query{
		{Text: "issue", Servers: []string{"mail"}},
		{Text: "issue", Keep: func(name string) bool { return name == "github.list_commits" }},
	} {
		if _, err := e.Search(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	if want := []string{"", "mail", "github"}; !slices.Equal(v.asked, want) {
		t.Errorf("vectors were asked for those of %q, want %q", v.asked, want)
	}
	e.Remove("mail")
	if want := []string{"github++", "mail+", "mail-"}; !slices.Equal(v.changes, want) {
		t.Errorf("the dense leg saw the changes %q, want %q", v.changes, want)
	}
}

func TestWordsAreEnoughWhenVectorsFail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		v := &vectors{}
		e := withVectors(slog.New(slog.NewTextHandler(&log, nil)), v)
		ask := func() []search.Leg {
			t.Helper()
			begun := time.Now()
			got, err := e.Search(t.Context(), search.Query{Text: "issue"})
			if err != nil || !slices.Equal(names(got), []string{"github.create_issue"}) || time.Since(begun) > time.Second {
				t.Errorf("after %v: found %q: %v", time.Since(begun), names(got), err)
			}
			return got.Legs
		}
		lexical := []search.Leg{search.LegLexical}
		v.hangs = true
		if legs := ask(); !slices.Equal(legs, lexical) {
			t.Errorf("with vectors that hang, the legs are %q", legs)
		}
		v.hangs, v.err = false, errors.New("no endpoint")
		if legs := ask(); !slices.Equal(legs, lexical) {
			t.Errorf("with vectors that fail, the legs are %q", legs)
		}
		v.err = nil
		if legs := ask(); len(legs) != 2 {
			t.Errorf("with vectors that work, the legs are %q", legs)
		}
		if n := strings.Count(log.String(), "\n"); n != 2 {
			t.Errorf("a failure and the recovery are logged as %q", log.String())
		}
	})
}

func TestTheEngineRejectsInvalidQueries(t *testing.T) {
	e := withVectors(quiet(), &vectors{})
	if _, err := e.Search(t.Context(), search.Query{}); !errors.Is(err, search.ErrEmptyQuery) {
		t.Errorf("the error is %v", err)
	}
}

func TestTheModuleIsWired(t *testing.T) {
	var e *search.Engine
	app := fx.New(fx.NopLogger, search.Module, fx.Populate(&e), fx.Supply(
		quiet(), search.Options{}, search.LearningOptions{},
		fx.Annotate(search.NewMemoryLearning(), fx.As(new(search.LearningStore))),
	))
	if err := app.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	e.Replace("mail", []search.Tool{tool("mail", "send", "Send a letter")})
	if got, err := e.Search(t.Context(), search.Query{Text: "letter"}); err != nil || len(got.Hits) != 1 {
		t.Errorf("found %+v: %v", got, err)
	}
	if err := app.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
}
