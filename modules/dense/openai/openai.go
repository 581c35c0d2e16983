// Package openai makes vectors by any endpoint that speaks OpenAI's embeddings API:
// https://platform.openai.com/docs/api-reference/embeddings/create. Ollama, vLLM, TEI and
// llama.cpp do.
package openai

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	openai "github.com/sashabaranov/go-openai"

	"mcp-aggregator/modules/dense"
)

// Options of an Embedder. URL and Model are required.
type Options struct {
	URL        string            // the base, as https://api.openai.com/v1, to which /embeddings is added
	Model      string            // as the endpoint calls it
	Key        string            // sent as a bearer token; empty for none
	Dimensions int               // that the model is asked for, if it can choose; 0: its own
	Transport  http.RoundTripper // default http.DefaultTransport
}

// Embedder is a [dense.Embedder] at an endpoint.
type Embedder struct {
	client  *openai.Client
	options Options
	name    string
}

var _ dense.Embedder = (*Embedder)(nil)

// New returns an embedder, or an error about the options. It connects to nothing.
func New(o Options) (*Embedder, error) {
	base, err := url.Parse(o.URL)
	switch {
	case err != nil || (base.Scheme != "http" && base.Scheme != "https") || base.Host == "":
		return nil, errors.New("embeddings: the URL is no address of an endpoint: write https://api.openai.com/v1")
	case base.User != nil || base.RawQuery != "" || base.Fragment != "":
		return nil, errors.New("embeddings: the URL has more than an address: put the key into the environment")
	case o.Model == "":
		return nil, errors.New("embeddings: no model is named, as text-embedding-3-small")
	}
	config := openai.DefaultConfig(o.Key)
	config.BaseURL = strings.TrimSuffix(base.String(), "/")
	config.HTTPClient = newClient(o.Transport)
	return &Embedder{client: openai.NewClientWithConfig(config), options: o, name: modelName(o, base)}, nil
}

// modelName is what the vectors depend on. Endpoints give the same name to different
// models, so theirs is part of it.
func modelName(o Options, base *url.URL) string {
	name := o.Model + " at " + base.Host + strings.TrimSuffix(base.Path, "/")
	if o.Dimensions > 0 {
		name += fmt.Sprintf(", %d numbers", o.Dimensions)
	}
	return name
}

// Model returns the model and the endpoint.
func (e *Embedder) Model() string { return e.name }

// Embed is that of [dense.Embedder]: one request, which is not repeated.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	answer, err := e.client.CreateEmbeddings(ctx, openai.EmbeddingRequest{
		Input: texts, Model: openai.EmbeddingModel(e.options.Model),
		EncodingFormat: openai.EmbeddingEncodingFormatFloat, Dimensions: e.options.Dimensions,
	})
	if err != nil {
		return nil, e.refusal(ctx, err)
	}
	if len(answer.Data) != len(texts) {
		return nil, fmt.Errorf("%s answers %d vectors for %d texts", e.name, len(answer.Data), len(texts))
	}
	vectors := make([][]float32, len(texts))
	for _, one := range answer.Data { // in any order
		if one.Index < 0 || one.Index >= len(vectors) || vectors[one.Index] != nil || len(one.Embedding) == 0 {
			return nil, fmt.Errorf("%s answers vectors that are not those of the texts", e.name)
		}
		vectors[one.Index] = one.Embedding
	}
	return vectors, nil
}

// refusal is an error of the endpoint, in one line that holds neither the key nor the texts.
func (e *Embedder) refusal(ctx context.Context, err error) error {
	status, said := 0, ""
	if known, ok := errors.AsType[*openai.RequestError](err); ok { // of another form than OpenAI's
		status, said = known.HTTPStatusCode, string(known.Body)
	} else if known, ok := errors.AsType[*openai.APIError](err); ok {
		status, said = known.HTTPStatusCode, known.Message
	}
	if status == 0 {
		if ctx.Err() != nil {
			return fmt.Errorf("%s: %w", e.name, ctx.Err())
		}
		return fmt.Errorf("%s: %w", e.name, cause(err))
	}
	text := fmt.Errorf("%s answers %d: %s", e.name, status, e.quote(said))
	switch status {
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		return &dense.Error{Code: dense.Rejected, Err: text}
	case http.StatusUnauthorized, http.StatusForbidden:
		return fmt.Errorf("%w: set the key", text)
	}
	return text
}

// quote is the beginning of what an endpoint says, in one line and without the key.
func (e *Embedder) quote(said string) string {
	if e.options.Key != "" {
		said = strings.ReplaceAll(said, e.options.Key, "[key]")
	}
	const most = 200
	if runes := []rune(said[:min(len(said), 4*most)]); len(runes) > most {
		said = string(runes[:most])
	}
	return fmt.Sprintf("%q", said)
}

// cause is what lies below the method and the URL, which an error of net/http repeats.
func cause(err error) error {
	if known, ok := errors.AsType[*url.Error](err); ok {
		return known.Err
	}
	return err
}
