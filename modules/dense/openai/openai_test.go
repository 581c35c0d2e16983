package openai_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"mcp-aggregator/modules/dense"
	"mcp-aggregator/modules/dense/openai"
	"mcp-aggregator/testutil"
)

func TestMain(m *testing.M) { os.Exit(testutil.Suite{Tests: m}.Run()) }

const key = "sk-canary-0123456789"

// endpoint serves requests with answer, and returns an embedder for it.
func endpoint(t *testing.T, answer http.HandlerFunc) *openai.Embedder {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	e, err := openai.New(openai.Options{URL: server.URL + "/v1/", Model: "small", Key: key, Transport: transport})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// says returns a handler that responds with a body.
func says(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func TestRequestsFollowTheAPI(t *testing.T) {
	e := endpoint(t, func(w http.ResponseWriter, r *http.Request) {
		var request struct {
			Model  string   `json:"model"`
			Input  []string `json:"input"`
			Format string   `json:"encoding_format"`
		}
		if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
			t.Error(err)
		}
		if r.Method != http.MethodPost || r.URL.Path != "/v1/embeddings" || r.Header.Get("Authorization") != "Bearer "+key ||
			request.Model != "small" || request.Format != "float" || strings.Join(request.Input, "|") != "a|é\n\"" {
			t.Errorf("%s %s: %+v", r.Method, r.URL, request)
		}
		says(http.StatusOK, `{"object":"list","data":[{"object":"embedding","index":1,"embedding":[3,4.5e-1]},{"index":0,"embedding":[1,-2]}],
			"model":"other","usage":{"prompt_tokens":8,"total_tokens":8},"more":{}}`)(w, r)
	})
	got, err := e.Embed(t.Context(), []string{"a", "é\n\""})
	if err != nil || len(got) != 2 || got[0][1] != -2 || got[1][0] != 3 || got[1][1] != .45 {
		t.Errorf("got %v, %v", got, err)
	}
	if !strings.HasPrefix(e.Model(), "small at 127.0.0.1:") || !strings.HasSuffix(e.Model(), "/v1") {
		t.Errorf("it is called %q", e.Model())
	}
}

func TestInvalidResponsesAreErrorsOnOneLine(t *testing.T) {
	for name, test := range map[string]struct {
		answer http.HandlerFunc
		code   dense.Code // empty for an error without code
		want   string
	}{
		"too few":               {says(200, `{"data":[{"index":0,"embedding":[1]}]}`), "", "1 vectors for 2 texts"},
		"one twice":             {says(200, `{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}`), "", "returned invalid vectors"},
		"an invalid index":      {says(200, `{"data":[{"index":0,"embedding":[1]},{"index":-1,"embedding":[1]}]}`), "", "returned invalid vectors"},
		"an empty vector":       {says(200, `{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[]}]}`), "", "returned invalid vectors"},
		"not JSON":              {says(200, `<html>`), "", "invalid character"},
		"an overflowing number": {says(200, `{"data":[{"index":0,"embedding":[1e99]},{"index":1,"embedding":[1]}]}`), "", "1e99"},
		"not a number":          {says(200, `{"data":[{"index":0,"embedding":[NaN]},{"index":1,"embedding":[1]}]}`), "", "invalid character"},
		"a truncated response":  {says(200, `{"data":[{"index":0,"embedding":[1,`), "", "EOF"},
		"too long a text":       {says(400, `{"error":{"message":"maximum context\nlength","type":"invalid_request_error"}}`), dense.Rejected, `400: "maximum context\nlength"`},
		"too many texts":        {says(413, `{"error":"batch size > maximum","error_type":"Validation"}`), dense.Rejected, "413"},
		"a key that is wrong":   {says(401, `{"error":{"message":"Incorrect key: `+key+`"}}`), "", "check the key"},
		"too many requests":     {says(429, `{"error":{"message":"slow down"}}`), "", `429: "slow down"`},
		"an error without JSON": {says(502, strings.Repeat("bad gateway\n\x1b[31m", 1<<10)), "", "502"},
		"a redirect to another host": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://localhost:1/v1/embeddings", http.StatusTemporaryRedirect)
		}, "", "redirects to another host"},
		"a redirect loop": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, r.URL.Path, http.StatusTemporaryRedirect)
		}, "", "redirects too often"},
		"an endless response": {func(w http.ResponseWriter, _ *http.Request) {
			for {
				if _, err := w.Write([]byte(strings.Repeat(" ", 1<<16))); err != nil {
					return
				}
			}
		}, "", "longer than 16 MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := endpoint(t, test.answer).Embed(t.Context(), []string{"a", "b"})
			if err == nil {
				t.Fatal("there is no error")
			}
			code := dense.Code("")
			if known, ok := errors.AsType[*dense.Error](err); ok {
				code = known.Code
			}
			text := err.Error()
			if code != test.code || !strings.Contains(text, test.want) || strings.ContainsAny(text, "\n\x1b") || strings.Contains(text, key) || len(text) > 600 {
				t.Errorf("%s: %s", code, text)
			}
		})
	}
}

func TestAStallingEndpointTimesOut(t *testing.T) {
	ended := make(chan struct{})
	e := endpoint(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // otherwise the server does not notice the closed connection
		<-r.Context().Done()
		close(ended)
	})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := e.Embed(ctx, []string{"a"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	<-ended
}

func TestAnUnreachableEndpointIsNamed(t *testing.T) {
	e, err := openai.New(openai.Options{URL: "http://127.0.0.1:1", Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Embed(t.Context(), []string{"a"}); err == nil || !strings.HasPrefix(err.Error(), "m at 127.0.0.1:1: ") {
		t.Errorf("got %v", err)
	}
}

func TestInvalidOptionsAreRejected(t *testing.T) {
	for name, test := range map[string]struct {
		o    openai.Options
		want string
	}{
		"no URL":             {openai.Options{Model: "m"}, "the URL is invalid"},
		"another scheme":     {openai.Options{URL: "ftp://x", Model: "m"}, "the URL is invalid"},
		"no host":            {openai.Options{URL: "https:///v1", Model: "m"}, "the URL is invalid"},
		"malformed":          {openai.Options{URL: "http://" + key + "%zz", Model: "m"}, "the URL is invalid"},
		"a password":         {openai.Options{URL: "https://u:" + key + "@x/v1", Model: "m"}, "put the key into the environment"},
		"a key as parameter": {openai.Options{URL: "https://x/v1?key=" + key, Model: "m"}, "put the key into the environment"},
		"no model":           {openai.Options{URL: "https://x/v1"}, "the model is missing"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := openai.New(test.o); err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), key) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestDifferentModelsHaveDifferentNames(t *testing.T) {
	names := map[string]bool{}
	for _, o := range []openai.Options{
		{URL: "http://a/v1", Model: "m"},
		{URL: "http://b/v1", Model: "m"},
		{URL: "http://a/v2", Model: "m"},
		{URL: "http://a/v1", Model: "n"},
		{URL: "http://a/v1", Model: "m", Dimensions: 256},
	} {
		e, err := openai.New(o)
		if err != nil {
			t.Fatal(err)
		}
		names[e.Model()] = true
	}
	if len(names) != 5 {
		t.Errorf("got %v", names)
	}
}
