package dense_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcp-aggregator/modules/dense"
)

func TestToolsAreFoundByTheirText(t *testing.T) {
	run(t, newEmbedder(), newVectors(), dense.Options{}, func(leg started) {
		t := leg.t
		leg.Replace("git", git())
		leg.Replace("mail", []dense.Tool{{
			Payload: dense.Payload{Name: "send"}, Title: "Dispatch", Description: "A message", Parameters: []string{"recipientName"},
		}})
		synctest.Wait()
		for query, want := range map[string]string{
			"create issue": "git.create_issue", "ticket": "git.create_issue", "delete branch": "git.deleteBranch",
			"dispatch": "mail.send", "mail": "mail.send", "recipient name": "mail.send",
		} {
			if got := first(t, leg, query); got != want {
				t.Errorf("%s: got %s, want %s", query, got, want)
			}
		}
		scores, err := leg.ScoresWithin(t.Context(), "send ticket", 3, []string{"git", "unknown"})
		if err != nil || len(scores) != 1 || scores[0].Server != "git" || scores[0].Cosine <= 0 || scores[0].Cosine > 1 {
			t.Errorf("got %v, %v", scores, err)
		}
		if scores, err := leg.ScoresWithin(t.Context(), "ticket", 3, []string{"unknown"}); err != nil || len(scores) != 0 {
			t.Errorf("got %v, %v", scores, err)
		}
		if s := leg.Status(); s.Model != "words" || s.Dimension != size || s.Tools != 4 || s.Embedded != 4 || s.Err != nil {
			t.Errorf("got %+v", s)
		}
	})
}

func TestRemovedToolsAreNotFound(t *testing.T) {
	run(t, newEmbedder(), newVectors(), dense.Options{}, func(leg started) {
		t := leg.t
		leg.Replace("git", git())
		leg.Replace("mail", []dense.Tool{tool("send", "A ticket")})
		synctest.Wait()
		leg.Replace("git", git()[1:])
		if got := first(t, leg, "ticket"); got != "mail.send" {
			t.Errorf("got %s", got)
		}
		leg.Remove("mail")
		if got := first(t, leg, "ticket"); got != "" {
			t.Errorf("got %s", got)
		}
		leg.Remove("never was")
	})
}

func TestAToolIsEmbeddedOnce(t *testing.T) {
	e, s := newEmbedder(), newVectors()
	for range 3 { // restarts or replicas
		run(t, e, s, dense.Options{}, func(leg started) {
			t := leg.t
			leg.Replace("git", git())
			synctest.Wait()
			leg.Remove("git") // the session ends
			leg.Replace("git", git())
			synctest.Wait()
			if got := first(t, leg, "ticket"); got != "git.create_issue" {
				t.Errorf("got %s", got)
			}
		})
	}
	if _, texts := e.asked("git"); texts != 3 {
		t.Errorf("%d texts were embedded", texts)
	}
}

func TestOnlyChangedToolsAreEmbedded(t *testing.T) {
	e := newEmbedder()
	run(t, e, newVectors(), dense.Options{}, func(leg started) {
		t := leg.t
		leg.Replace("git", git())
		synctest.Wait()
		changed := git()
		changed[0].Description = "Write a complaint"
		changed[1].Classified = true // not part of the text
		leg.Replace("git", changed)
		synctest.Wait()
		if got := first(t, leg, "complaint"); got != "git.create_issue" {
			t.Errorf("got %s", got)
		}
		if got := first(t, leg, "ticket"); got != "" {
			t.Errorf("got %s", got)
		}
	})
	if _, texts := e.asked("git"); texts != 4 {
		t.Errorf("%d texts were embedded", texts)
	}
}

func TestBatchesAndConcurrencyAreBounded(t *testing.T) {
	e := newEmbedder()
	e.does(func(_ context.Context, texts []string) ([][]float32, error) {
		time.Sleep(time.Second)
		return count(texts, size), nil
	})
	run(t, e, newVectors(), dense.Options{BatchSize: 10, Concurrency: 3}, func(leg started) {
		t := leg.t
		var many []dense.Tool
		for i := range 95 {
			many = append(many, tool(fmt.Sprint("tool", i), "does something"))
		}
		leg.Replace("big", many)
		time.Sleep(time.Minute)
		if s := leg.Status(); s.Embedded != 95 {
			t.Errorf("got %+v", s)
		}
	})
	if requests, _ := e.asked("big"); requests != 1+10 || e.most != 3 {
		t.Errorf("%d requests, %d at once", requests, e.most)
	}
}

func TestTextsAreCutAndCleaned(t *testing.T) {
	e := newEmbedder()
	run(t, e, newVectors(), dense.Options{TextBytes: 100, ToolPrefix: "passage: "}, func(leg started) {
		t := leg.t
		leg.Replace("s", []dense.Tool{tool("x", "\x1b[31m\u202ered\x00\xff\r\n"+strings.Repeat("é", 1<<20)), tool("none", "")})
		synctest.Wait()
		if _, err := leg.Scores(t.Context(), strings.Repeat("long ", 1<<15), 3); err != nil {
			t.Error(err)
		}
	})
	if e.texts["passage: s none"] != 1 {
		t.Errorf("got %v", e.texts)
	}
	for text := range e.texts {
		if len(text) > 100+len("passage: ") || strings.ContainsAny(text, "\x00\x1b\u202e\r\n") || strings.HasPrefix(text, "passage: s x") && !strings.Contains(text, "[31m red") {
			t.Errorf("%d bytes were embedded: %q", len(text), text)
		}
	}
}

// without returns the code of the error from Scores, which must return quickly.
func without(t *testing.T, leg scorer) dense.Code {
	t.Helper()
	begun := time.Now()
	scores, err := leg.Scores(t.Context(), fmt.Sprint("query at ", begun), 3)
	if took := time.Since(begun); took > 300*time.Millisecond {
		t.Errorf("it took %v", took)
	}
	if err == nil {
		t.Errorf("there are scores: %v", scores)
		return ""
	}
	known, ok := errors.AsType[*dense.Error](err)
	if !ok || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %#v", err)
		return ""
	}
	return known.Code
}

func TestInvalidResponsesAreRejected(t *testing.T) {
	for name, answer := range map[string]func(texts []string) ([][]float32, error){
		"an error": func([]string) ([][]float32, error) { return nil, errors.New("no") },
		"nothing":  func([]string) ([][]float32, error) { return nil, nil },
		"too many": func(texts []string) ([][]float32, error) {
			return append(count(texts, size), make([]float32, size)), nil
		},
		"empty vectors":      func(texts []string) ([][]float32, error) { return make([][]float32, len(texts)), nil },
		"not a number":       func(texts []string) ([][]float32, error) { return with(texts, float32(math.NaN())), nil },
		"infinity":           func(texts []string) ([][]float32, error) { return with(texts, float32(math.Inf(-1))), nil },
		"an endless vector":  func(texts []string) ([][]float32, error) { return count(texts, 16_001), nil },
		"several dimensions": func(texts []string) ([][]float32, error) { return mixed(texts), nil },
	} {
		t.Run(name, func(t *testing.T) {
			e := newEmbedder()
			e.does(func(_ context.Context, texts []string) ([][]float32, error) { return answer(texts) })
			run(t, e, newVectors(), dense.Options{}, func(leg started) {
				t := leg.t
				leg.Replace("git", git())
				time.Sleep(time.Minute)
				if code := without(t, leg); code != dense.NotReady {
					t.Errorf("got %s", code)
				}
				if s := leg.Status(); s.Embedded != 0 || name != "several dimensions" && s.Dimension != 0 || s.Err == nil {
					t.Errorf("got %+v", s)
				}
				e.does(nil)
				time.Sleep(2 * time.Minute)
				if got := first(t, leg, "ticket"); got != "git.create_issue" {
					t.Errorf("got %s", got)
				}
			})
		})
	}
}

func with(texts []string, number float32) [][]float32 {
	vectors := count(texts, size)
	vectors[len(vectors)-1][3] = number
	return vectors
}

func mixed(texts []string) [][]float32 {
	vectors := count(texts, size)
	if len(vectors) > 1 {
		vectors[1] = make([]float32, size+1)
	}
	return vectors
}
