package service_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/fx"

	"mcp-aggregator/app/service"
	"mcp-aggregator/app/toolsearch"
	"mcp-aggregator/modules/dense"
	"mcp-aggregator/modules/search"
	"mcp-aggregator/testutil"
)

// synonyms are words that mean the same, as far as the models of the tests know.
var synonyms = [][]string{{"forecast", "umbrella", "parasol"}, {"letter", "pigeon"}, {"ledger", "bookkeeping"}}

// meanings returns a vector that counts words of each topic. Models of another turn have
// the synonyms at other places.
func meanings(text string, turn int) []float32 {
	vector := make([]float32, len(synonyms)+1)
	vector[len(synonyms)] = .01 // a text of no topic has a direction, too
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return r < 'a' || r > 'z' }) {
		for i, words := range synonyms {
			if slices.Contains(words, word) {
				vector[(i+turn)%len(synonyms)]++
			}
		}
	}
	return vector
}

// desk are the tools of a server; no query of the tests shares a word with the one it is
// about.
var desk = testutil.Raw{
	Tools: `[{"name":"probe","description":"Tells the forecast","inputSchema":{"type":"object","properties":{"place":{},"day":{}}}},` +
		`{"name":"post","description":"Sends a letter"},{"name":"sum","description":"Adds up a ledger"}]`,
}.Run

// embedder is an endpoint of OpenAI's form.
type embedder struct {
	*httptest.Server

	mu    sync.Mutex
	down  bool
	hangs chan struct{} // until it is closed; nil: it does not
	keys  []string      // of the requests
	texts map[string][]string
}

func newEmbedder(t *testing.T) *embedder {
	t.Helper()
	e := &embedder{texts: map[string][]string{}}
	e.Server = httptest.NewServer(e)
	t.Cleanup(func() {
		e.set(false, nil)
		e.Close()
	})
	return e
}

// set changes what the endpoint does, and ends what hangs.
func (e *embedder) set(down bool, hangs chan struct{}) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.hangs != nil {
		close(e.hangs)
	}
	e.down, e.hangs = down, hangs
}

func (e *embedder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var request struct {
		Model string   `json:"model"`
		Input []string `json:"input"`
	}
	body, _ := io.ReadAll(r.Body)
	_ = json.Unmarshal(body, &request)
	e.mu.Lock()
	down, hangs := e.down, e.hangs
	e.keys = append(e.keys, r.Header.Get("Authorization"))
	e.texts[request.Model] = append(e.texts[request.Model], request.Input...)
	e.mu.Unlock()
	if hangs != nil {
		select {
		case <-hangs:
		case <-r.Context().Done():
		}
	}
	if down || request.Model == "" {
		http.Error(w, "out of order", http.StatusServiceUnavailable)
		return
	}
	data := make([]map[string]any, len(request.Input))
	for i, text := range request.Input {
		data[i] = map[string]any{"index": i, "embedding": meanings(text, len(request.Model)-1)}
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"data": data})
}

// embedded counts the texts of a model with that in them.
func (e *embedder) embedded(model, part string) (n int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, text := range e.texts[model] {
		if strings.Contains(text, part) {
			n++
		}
	}
	return n
}

// by has a service use a model of the endpoint.
func (e *embedder) by(model string) func(*service.Options) {
	return func(o *service.Options) {
		o.Embeddings = service.Embeddings{URL: e.URL + "/v1", Model: model, Key: "sk-" + testutil.Canary}
	}
}

// searching is a service with what its doors search with.
type searching struct {
	*running

	engine *search.Engine
	by     *toolsearch.Searcher
	leg    *dense.Leg // nil without embeddings
}

func startSearching(t *testing.T, change ...func(*service.Options)) *searching {
	t.Helper()
	s := &searching{running: &running{t: t}}
	o := s.options(change...)
	populate := fx.Populate(&s.engine, &s.by)
	if o.Embeddings.Model != "" {
		populate = fx.Populate(&s.engine, &s.by, &s.leg)
	}
	s.run(o, testutil.Spawner{"desk": desk, "other": desk, "app": answering}, populate)
	return s
}

// search returns what is found, best first, and the legs that took part.
func (s *searching) search(query string) (names []string, legs []search.Leg) {
	s.t.Helper()
	found, err := s.engine.Search(s.t.Context(), search.Query{Text: query})
	if err != nil {
		s.t.Fatal(err)
	}
	for _, hit := range found.Hits {
		names = append(names, hit.Name)
	}
	return names, found.Legs
}

// finds fails the test unless a search finds that tool first, by vectors.
func (s *searching) finds(query, want string) {
	s.t.Helper()
	if names, legs := s.search(query); len(names) == 0 || names[0] != want || !slices.Contains(legs, search.LegDense) {
		s.t.Errorf("%s: found %q by %q, want %q by vectors", query, names, legs, want)
	}
}

// indexed waits until the tools of a server are searched.
func (s *searching) indexed(word string) {
	s.t.Helper()
	s.until("the index", func() bool { names, _ := s.search(word); return len(names) > 0 })
}

// embedded waits until the tools of desk have vectors.
func (s *searching) embedded() {
	s.t.Helper()
	s.until("vectors of all tools", func() bool { now := s.leg.Status(); return now.Tools == 3 && now.Embedded == 3 })
}

// model2vecFolder writes a model of the synonyms, as Model2Vec does.
func model2vecFolder(t *testing.T) string {
	t.Helper()
	words := slices.Concat([][]string{{"[PAD]", "[UNK]"}}, synonyms)
	ids, numbers := map[string]int{}, []float32{}
	for _, word := range slices.Concat(words...) {
		ids[word] = len(ids)
		numbers = append(numbers, meanings(word, 0)...)
	}
	var data bytes.Buffer
	if err := binary.Write(&data, binary.LittleEndian, numbers); err != nil {
		t.Fatal(err)
	}
	type object = map[string]any
	text := func(value any) []byte {
		encoded, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		return encoded
	}
	header := text(object{"embeddings": object{
		"dtype": "F32", "shape": []int{len(ids), len(numbers) / len(ids)}, "data_offsets": []int{0, data.Len()},
	}})
	folder := t.TempDir()
	for name, content := range map[string][]byte{
		"model.safetensors": slices.Concat(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header, data.Bytes()),
		"config.json":       text(object{"normalize": true}),
		"tokenizer.json": text(object{
			"version": "1.0", "pre_tokenizer": object{"type": "BertPreTokenizer"},
			"normalizer": object{"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "lowercase": true},
			"model": object{
				"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100, "vocab": ids,
			},
		}),
	} {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}
