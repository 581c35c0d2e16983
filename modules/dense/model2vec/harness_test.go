package model2vec_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"mcp-aggregator/modules/dense/model2vec"
	"mcp-aggregator/testutil"
)

func TestMain(m *testing.M) { os.Exit(testutil.Suite{Tests: m}.Run()) }

// vocabulary returns the tokens of the test model. The id of a token is its index.
func vocabulary() []string {
	return []string{"[PAD]", "[UNK]", "create", "issue", "ticket", "##s", "un", "##happy", "##hap", ".", "cafe", "東", "京", "issues"}
}

type object = map[string]any

// tokenizer returns a tokenizer.json like those of the potion models, modified by change.
func tokenizer(change func(normalizer, model object)) object {
	ids := object{}
	for id, token := range vocabulary() {
		ids[token] = id
	}
	normalizer := object{"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": nil, "lowercase": true}
	model := object{"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100, "vocab": ids}
	if change != nil {
		change(normalizer, model)
	}
	return object{
		"version": "1.0", "added_tokens": []object{{"id": 0, "content": "[PAD]", "special": true}},
		"normalizer": normalizer, "pre_tokenizer": object{"type": "BertPreTokenizer"}, "model": model,
	}
}

// tensors builds a model.safetensors.
type tensors struct {
	header object
	data   bytes.Buffer
}

func (s *tensors) add(t *testing.T, name, kind string, shape []int, numbers any) *tensors {
	t.Helper()
	begin := s.data.Len()
	if err := binary.Write(&s.data, binary.LittleEndian, numbers); err != nil {
		t.Fatal(err)
	}
	if s.header == nil {
		s.header = object{"__metadata__": object{"format": "np"}}
	}
	s.header[name] = object{"dtype": kind, "shape": shape, "data_offsets": []int{begin, s.data.Len()}}
	return s
}

func (s *tensors) bytes(t *testing.T) []byte {
	t.Helper()
	header := encode(t, s.header)
	for len(header)%8 != 0 {
		header = append(header, ' ') // as the safetensors library does
	}
	return append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...), s.data.Bytes()...)
}

func encode(t *testing.T, value any) []byte {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// numbers returns vectors of dimension 3: that of token i is 10i, 10i+1, -1.
func numbers() []float32 {
	var all []float32
	for i := range vocabulary() {
		all = append(all, float32(10*i), float32(10*i+1), -1)
	}
	return all
}

func plain(t *testing.T) []byte {
	t.Helper()
	return new(tensors).add(t, "embeddings", "F32", []int{len(vocabulary()), 3}, numbers()).bytes(t)
}

// folder writes a model's folder and returns its path.
func folder(t *testing.T, tensors []byte, tokenizer, config any) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tiny")
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{
		"model.safetensors": tensors, "tokenizer.json": encode(t, tokenizer), "config.json": encode(t, config),
	} {
		if err := os.WriteFile(filepath.Join(path, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// start starts an embedder for a folder.
func start(t *testing.T, path string) *model2vec.Embedder {
	t.Helper()
	e := model2vec.New(model2vec.Folder(path))
	if err := e.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Stop(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return e
}

// mean returns the mean of the vectors of some tokens.
func mean(ids ...int) []float32 {
	vector := make([]float32, 3)
	for i := range vector {
		var sum float64
		for _, id := range ids {
			sum += float64(numbers()[3*id+i])
		}
		vector[i] = float32(sum / float64(max(1, len(ids))))
	}
	return vector
}

func same(a, b []float32) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if math.Abs(float64(a[i]-b[i])) > 1e-4 {
			return false
		}
	}
	return true
}
