// Package model2vec computes vectors with a static model in a local folder: the vector of a
// text is the mean of the vectors of its tokens. It sends nothing over the network.
//
// It reads folders written by Model2Vec (https://github.com/MinishLab/model2vec):
// model.safetensors with the tensor embeddings and optionally weights and mapping, of type
// F32, F16, F64 or I8; tokenizer.json with a WordPiece tokenizer and BERT's normalizer and
// pre-tokenizer, as in the potion-base models; and config.json. It rejects other
// tokenizers.
package model2vec

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"mcp-aggregator/modules/dense"
)

// maxTokens is how many tokens of a text count, as in Model2Vec.
const maxTokens = 512

// Folder is the path of a model's folder.
type Folder string

// Embedder is a [dense.Embedder] that reads a folder. It is usable between Start and Stop.
// Vectors stay in the file and are read on demand.
type Embedder struct {
	folder    string
	name      string
	file      *os.File
	tokens    *wordPiece
	vectors   tensor
	weights   []float64 // by token; nil if all are equal
	rows      []float64 // row of each token's vector; nil if it is the token's id
	normalize bool
}

var _ dense.Embedder = (*Embedder)(nil)

// New returns an embedder for a folder, which Start reads.
func New(folder Folder) *Embedder { return &Embedder{folder: string(folder)} }

// Start reads and checks the folder.
func (e *Embedder) Start(ctx context.Context) error {
	if err := e.open(); err != nil {
		return errors.Join(fmt.Errorf("embeddings model %s: %w", e.folder, err), e.Stop(ctx))
	}
	return nil
}

// Stop closes the file.
func (e *Embedder) Stop(context.Context) error {
	if e.file == nil {
		return nil
	}
	return e.file.Close()
}

// Model returns the folder's name and a hash of its contents.
func (e *Embedder) Model() string { return e.name }

func (e *Embedder) open() (err error) {
	digest := sha256.New()
	if err := e.readConfig(digest); err != nil {
		return fmt.Errorf("config.json: %w", withoutPath(err))
	}
	if err := e.readTokenizer(digest); err != nil {
		return fmt.Errorf("tokenizer.json: %w", withoutPath(err))
	}
	if err := e.readTensors(digest); err != nil {
		return fmt.Errorf("model.safetensors: %w", withoutPath(err))
	}
	e.name = filepath.Base(e.folder) + " " + hex.EncodeToString(digest.Sum(nil)[:8])
	return nil
}

func (e *Embedder) readConfig(digest io.Writer) error {
	var config struct {
		Normalize bool `json:"normalize"`
	}
	text, err := e.read("config.json", digest)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, &config); err != nil {
		return err
	}
	e.normalize = config.Normalize
	return nil
}

func (e *Embedder) readTokenizer(digest io.Writer) error {
	text, err := e.read("tokenizer.json", digest)
	if err != nil {
		return err
	}
	e.tokens, err = parseTokenizer(text)
	return err
}

// maxText limits the size of a JSON file: that of a million tokens is smaller.
const maxText = 64 << 20

func (e *Embedder) read(name string, digest io.Writer) ([]byte, error) {
	file, err := os.Open(filepath.Join(e.folder, name))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.TeeReader(io.LimitReader(file, maxText+1), digest))
	if err == nil && len(text) > maxText {
		err = errors.New("the file is larger than 64 MiB")
	}
	return text, err
}

func (e *Embedder) readTensors(digest io.Writer) (err error) {
	if e.file, err = os.Open(filepath.Join(e.folder, "model.safetensors")); err != nil {
		return err
	}
	if _, err := io.Copy(digest, e.file); err != nil {
		return err
	}
	tensors, err := readHeader(e.file)
	if err != nil {
		return err
	}
	vectors, ok := tensors["embeddings"]
	if !ok {
		vectors, ok = tensors["embedding.weight"] // the name in sentence-transformers
	}
	if !ok || len(vectors.Shape) != 2 || vectors.Shape[1] < 1 {
		return errors.New("it has no two-dimensional tensor named embeddings")
	}
	e.vectors = vectors
	if e.weights, err = e.column(tensors, "weights"); err != nil {
		return err
	}
	if e.rows, err = e.column(tensors, "mapping"); err != nil {
		return err
	}
	return e.check()
}

// column reads a tensor with one number per token, or returns nil if it does not exist.
func (e *Embedder) column(tensors map[string]tensor, name string) ([]float64, error) {
	t, ok := tensors[name]
	if !ok {
		return nil, nil
	}
	if len(t.Shape) != 1 {
		return nil, fmt.Errorf("the tensor %s has %d dimensions", name, len(t.Shape))
	}
	return t.read(e.file, 0, t.Shape[0])
}

// check verifies that every token has a vector.
func (e *Embedder) check() error {
	for token := range e.tokens.size {
		row := token
		if e.rows != nil && token < len(e.rows) {
			row = int(e.rows[token])
		}
		if (e.rows != nil && token >= len(e.rows)) || (e.weights != nil && token >= len(e.weights)) || row < 0 || row >= e.vectors.Shape[0] {
			return fmt.Errorf("token %d of the tokenizer has no vector: the files belong to different models", token)
		}
	}
	return nil
}

// Embed implements [dense.Embedder]. The vector of a text without known tokens is zero.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		vector, err := e.embed(text)
		if err != nil {
			return nil, fmt.Errorf("embeddings model %s: %w", e.folder, withoutPath(err))
		}
		vectors[i] = vector
	}
	return vectors, nil
}

func (e *Embedder) embed(text string) ([]float32, error) {
	width := e.vectors.Shape[1]
	sum := make([]float64, width)
	tokens := e.tokens.encode(text, maxTokens)
	for _, token := range tokens {
		row, weight := token, 1.0
		if e.rows != nil {
			row = int(e.rows[token])
		}
		if e.weights != nil {
			weight = e.weights[token]
		}
		values, err := e.vectors.read(e.file, row*width, width)
		if err != nil {
			return nil, err
		}
		for i, x := range values {
			sum[i] += weight * x
		}
	}
	return e.scale(sum, float64(max(1, len(tokens)))), nil
}

// scale divides by n, or by the length of the vector if the model normalizes.
func (e *Embedder) scale(sum []float64, n float64) []float32 {
	if e.normalize {
		var square float64
		for _, x := range sum {
			square += x * x
		}
		if square > 0 {
			n = math.Sqrt(square)
		}
	}
	vector := make([]float32, len(sum))
	for i, x := range sum {
		vector[i] = float32(x / n)
	}
	return vector
}

// withoutPath strips the path from an error, because the caller names it already.
func withoutPath(err error) error {
	if known, ok := errors.AsType[*os.PathError](err); ok {
		return known.Err
	}
	return err
}
