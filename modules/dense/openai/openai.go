// Package openai computes vectors with an endpoint that implements OpenAI's embeddings API,
// https://platform.openai.com/docs/api-reference/embeddings/create, such as OpenAI, Ollama,
// vLLM, TEI and llama.cpp.
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

// Options configure an Embedder. URL and Model are required.
type Options struct {
	URL        string            // base URL without /embeddings, such as https://api.openai.com/v1
	Model      string            // the endpoint's name for it
	Key        string            // sent as a bearer token; empty for none
	Dimensions int               // requested dimension, if the model supports it; 0 means its default
	Transport  http.RoundTripper // default http.DefaultTransport
}

// Embedder is a [dense.Embedder] that calls an endpoint.
type Embedder struct {
	client  *openai.Client
	options Options
	name    string
}

var _ dense.Embedder = (*Embedder)(nil)

// New returns an embedder, or an error if the options are invalid. It does not connect.
func New(o Options) (*Embedder, error) {
	base, err := url.Parse(o.URL)
	switch {
	case err != nil || (base.Scheme != "http" && base.Scheme != "https") || base.Host == "":
		return nil, errors.New("embeddings: the URL is invalid: use one such as https://api.openai.com/v1")
	case base.User != nil || base.RawQuery != "" || base.Fragment != "":
		return nil, errors.New("embeddings: the URL must not contain credentials or parameters: put the key into the environment")
	case o.Model == "":
		return nil, errors.New("embeddings: the model is missing: use one such as text-embedding-3-small")
	}
	config := openai.DefaultConfig(o.Key)
	config.BaseURL = strings.TrimSuffix(base.String(), "/")
	config.HTTPClient = newClient(o.Transport)
	return &Embedder{client: openai.NewClientWithConfig(config), options: o, name: modelName(o, base)}, nil
}

// modelName returns a name for everything that vectors depend on. It includes the endpoint,
// because different endpoints give different models the same name.
func modelName(o Options, base *url.URL) string {
	name := o.Model + " at " + base.Host + strings.TrimSuffix(base.Path, "/")
	if o.Dimensions > 0 {
		name += fmt.Sprintf(", %d numbers", o.Dimensions)
	}
	return name
}

// Model returns the name of the model and the endpoint.
func (e *Embedder) Model() string { return e.name }

// Embed implements [dense.Embedder] with one request, without retries.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	answer, err := e.client.CreateEmbeddings(ctx, openai.EmbeddingRequest{
		Input: texts, Model: openai.EmbeddingModel(e.options.Model),
		EncodingFormat: openai.EmbeddingEncodingFormatFloat, Dimensions: e.options.Dimensions,
	})
	if err != nil {
		return nil, e.endpointError(ctx, err)
	}
	if len(answer.Data) != len(texts) {
		return nil, fmt.Errorf("%s returned %d vectors for %d texts", e.name, len(answer.Data), len(texts))
	}
	vectors := make([][]float32, len(texts))
	for _, one := range answer.Data { // in any order, by index
		if one.Index < 0 || one.Index >= len(vectors) || vectors[one.Index] != nil || len(one.Embedding) == 0 {
			return nil, fmt.Errorf("%s returned invalid vectors", e.name)
		}
		vectors[one.Index] = one.Embedding
	}
	return vectors, nil
}

// endpointError describes an error of the endpoint in one line, without the key and the
// texts.
func (e *Embedder) endpointError(ctx context.Context, err error) error {
	status, message := 0, ""
	if known, ok := errors.AsType[*openai.RequestError](err); ok { // not in OpenAI's format
		status, message = known.HTTPStatusCode, string(known.Body)
	} else if known, ok := errors.AsType[*openai.APIError](err); ok {
		status, message = known.HTTPStatusCode, known.Message
	}
	if status == 0 {
		if ctx.Err() != nil {
			return fmt.Errorf("%s: %w", e.name, ctx.Err())
		}
		return fmt.Errorf("%s: %w", e.name, cause(err))
	}
	text := fmt.Errorf("%s returned status %d: %s", e.name, status, e.quote(message))
	switch status {
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		return &dense.Error{Code: dense.Rejected, Err: text}
	case http.StatusUnauthorized, http.StatusForbidden:
		return fmt.Errorf("%w: check the key", text)
	}
	return text
}

// quote returns the beginning of an endpoint's message, in one line and without the key.
func (e *Embedder) quote(message string) string {
	if e.options.Key != "" {
		message = strings.ReplaceAll(message, e.options.Key, "[key]")
	}
	const most = 200
	if runes := []rune(message[:min(len(message), 4*most)]); len(runes) > most {
		message = string(runes[:most])
	}
	return fmt.Sprintf("%q", message)
}

// cause strips the method and URL that net/http adds to an error.
func cause(err error) error {
	if known, ok := errors.AsType[*url.Error](err); ok {
		return known.Err
	}
	return err
}
