package model2vec_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mcp-aggregator/modules/dense/model2vec"
)

func TestAVectorIsTheMeanOfTheTokens(t *testing.T) {
	e := start(t, folder(t, plain(t), tokenizer(nil), object{"normalize": false}))
	long := strings.Repeat("issue ", 511) + "create create"
	for text, ids := range map[string][]int{
		"create issue":           {2, 3},
		"Create  ISSUE\t":        {2, 3},
		"tickets":                {4, 5},      // split into pieces
		"issues":                 {13},        // the longest token first
		"unhappy":                {6, 7},      // the longest piece first
		"unhapp":                 nil,         // no token for the last piece
		"create.issue":           {2, 9, 3},   // punctuation marks are words
		"create_issue":           {2, 3},      // unknown punctuation is skipped
		"create unknown issue":   {2, 3},      // unknown words are skipped
		"café CAFÉ":              {10, 10},    // accents are stripped
		"東京issue":                {11, 12, 3}, // each ideograph is a word
		"cre\x00ate is\u200bsue": {2, 3},      // invisible characters are removed
		"create\u00a0issue":      {2, 3},
		"[UNK] [PAD]":            nil,
		"":                       nil,
		strings.Repeat("un", 51): nil,                         // the word is too long
		long:                     append(repeated(3, 511), 2), // only the first 512 tokens
		"\xff\xfe create":        {2},                         // invalid UTF-8
		"issue 😀 ticket":         {3, 4},                      //
		"İssue":                  {3},                         // lower case after stripping accents
		strings.Repeat(".", 600): repeated(9, 512),            //
	} {
		got, err := e.Embed(t.Context(), []string{text})
		if err != nil || !same(got[0], mean(ids...)) {
			t.Errorf("%.40q: got %v, %v, want %v", text, got, err, mean(ids...))
		}
	}
}

func repeated(id, n int) []int {
	ids := make([]int, n)
	for i := range ids {
		ids[i] = id
	}
	return ids
}

func TestTheConfigurationIsApplied(t *testing.T) {
	text := "CREATE café"
	for name, test := range map[string]struct {
		config object
		change func(normalizer, model object)
		want   []float32
	}{
		"the defaults":           {object{"normalize": false}, nil, mean(2, 10)},
		"an empty configuration": {object{}, nil, mean(2, 10)},
		"of length 1":            {object{"normalize": true}, nil, unit(mean(2, 10))},
		"accents stay":           {object{}, func(n, _ object) { n["strip_accents"] = false }, mean(2)},
		"capitals stay":          {object{}, func(n, _ object) { n["lowercase"], n["strip_accents"] = false, true }, mean(10)},
		"neither changes":        {object{}, func(n, _ object) { n["lowercase"] = false }, mean()},
		"short words":            {object{}, func(_, m object) { m["max_input_chars_per_word"] = 5 }, mean(10)},
	} {
		t.Run(name, func(t *testing.T) {
			e := start(t, folder(t, plain(t), tokenizer(test.change), test.config))
			if got, err := e.Embed(t.Context(), []string{text, ""}); err != nil || !same(got[0], test.want) || !same(got[1], mean()) {
				t.Errorf("got %v, %v, want %v", got, err, test.want)
			}
		})
	}
}

func unit(v []float32) []float32 {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	for i := range v {
		v[i] = float32(float64(v[i]) / math.Sqrt(sum))
	}
	return v
}

func TestNumbersOfEachTypeAreRead(t *testing.T) {
	n := len(vocabulary())
	doubles, bytes, halves := make([]float64, 3*n), make([]int8, 3*n), make([]uint16, 3*n)
	for i, x := range numbers() {
		doubles[i], bytes[i], halves[i] = float64(x), int8(int(x)%100), half(x)
	}
	low := make([]float32, 3*n)
	for i := range bytes {
		low[i] = float32(bytes[i])
	}
	for kind, test := range map[string]struct{ data, want any }{
		"F64": {doubles, numbers()}, "I8": {bytes, low}, "F16": {halves, numbers()},
	} {
		t.Run(kind, func(t *testing.T) {
			model := new(tensors).add(t, "other", "F32", []int{1}, []float32{7}).add(t, "embeddings", kind, []int{n, 3}, test.data)
			e := start(t, folder(t, model.bytes(t), tokenizer(nil), object{}))
			want, _ := test.want.([]float32)
			if got, err := e.Embed(t.Context(), []string{"ticket", "issues"}); err != nil || !same(got[0], want[12:15]) || !same(got[1], want[39:42]) {
				t.Errorf("got %v, %v", got, err)
			}
		})
	}
}

// half encodes x, a small integer, as binary16.
func half(x float32) uint16 {
	if x == 0 {
		return 0
	}
	bits := math.Float32bits(x)
	return uint16(bits>>16&0x8000) | uint16(int(bits>>23&0xff)-127+15)<<10 | uint16(bits>>13&0x3ff)
}

func TestHalvesAreThoseOfIEEE754(t *testing.T) {
	bits := []uint16{0x3c00, 0xc000, 0x7bff, 0x0400, 0x0001, 0x8000, 0x3555}
	want := []float32{1, -2, 65504, 6.103515625e-05, 5.9604645e-08, 0, 0.33325195}
	n := len(vocabulary())
	rows := make([]uint16, 7*n)
	copy(rows[2*7:], bits)
	model := new(tensors).add(t, "embeddings", "F16", []int{n, 7}, rows)
	e := start(t, folder(t, model.bytes(t), tokenizer(nil), object{}))
	got, err := e.Embed(t.Context(), []string{"create"})
	if err != nil {
		t.Fatal(err)
	}
	for i := range want {
		if got[0][i] != want[i] {
			t.Errorf("%#04x is %v, want %v", bits[i], got[0][i], want[i])
		}
	}
}

func TestWeightsAndMappingAreApplied(t *testing.T) {
	n := len(vocabulary())
	weights, mapping := make([]float32, n), make([]int64, n)
	for i := range n {
		weights[i], mapping[i] = 1, int64(i%3)
	}
	weights[4] = .5
	model := new(tensors).add(t, "embeddings", "F32", []int{3, 2}, []float32{1, 0, 0, 1, 5, 5}).
		add(t, "weights", "F32", []int{n}, weights).add(t, "mapping", "I64", []int{n}, mapping)
	e := start(t, folder(t, model.bytes(t), tokenizer(nil), object{}))
	got, err := e.Embed(t.Context(), []string{"issue ticket"}) // tokens 3 and 4: rows 0 and 1
	if err != nil || !same(got[0], []float32{.5, .25}) {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestTheNameDistinguishesModels(t *testing.T) {
	first := start(t, folder(t, plain(t), tokenizer(nil), object{}))
	again := start(t, folder(t, plain(t), tokenizer(nil), object{}))
	normalized := start(t, folder(t, plain(t), tokenizer(nil), object{"normalize": true}))
	if first.Model() != again.Model() || first.Model() == normalized.Model() || !strings.HasPrefix(first.Model(), "tiny ") {
		t.Errorf("they are %q, %q, %q", first.Model(), again.Model(), normalized.Model())
	}
}

func TestInvalidFoldersAreRejected(t *testing.T) {
	n := len(vocabulary())
	vectors := func(shape ...int) []byte {
		return new(tensors).add(t, "embeddings", "F32", shape, make([]float32, 3*n)).bytes(t)
	}
	header := func(entry string) []byte {
		text := `{"embeddings":` + entry + `}`
		return append(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text+"12345678"...)
	}
	for name, test := range map[string]struct {
		tensors []byte
		change  func(normalizer, model object)
		want    string
	}{
		"an empty file":                {nil, nil, "model.safetensors: the file is too short"},
		"a truncated header":           {binary.LittleEndian.AppendUint64(nil, 100), nil, "not in safetensors format"},
		"a huge header":                {binary.LittleEndian.AppendUint64(nil, 1<<63), nil, "not in safetensors format"},
		"a malformed header":           {append(binary.LittleEndian.AppendUint64(nil, 2), "[]"...), nil, "invalid header"},
		"no vectors":                   {new(tensors).add(t, "x", "F32", []int{1}, []float32{1}).bytes(t), nil, "no two-dimensional tensor named embeddings"},
		"one dimension":                {vectors(3 * n), nil, "no two-dimensional tensor named embeddings"},
		"another type":                 {header(`{"dtype":"BF16","shape":[2,2],"data_offsets":[0,8]}`), nil, `type "BF16" is not supported`},
		"vectors beyond the file":      {header(`{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]}`), nil, "within the file"},
		"offsets before the file":      {header(`{"dtype":"F32","shape":[1,2],"data_offsets":[-8,0]}`), nil, "within the file"},
		"overflowing offsets":          {header(`{"dtype":"F32","shape":[1,2],"data_offsets":[9223372036854775800,9223372036854775807]}`), nil, "within the file"},
		"another size than the shape":  {header(`{"dtype":"F32","shape":[1,1],"data_offsets":[0,8]}`), nil, "within the file"},
		"an impossible shape":          {header(`{"dtype":"F32","shape":[4611686018427387904,4611686018427387904],"data_offsets":[0,8]}`), nil, "impossible"},
		"a negative shape":             {header(`{"dtype":"F32","shape":[-1,-2],"data_offsets":[0,8]}`), nil, "impossible"},
		"fewer vectors than tokens":    {new(tensors).add(t, "embeddings", "F32", []int{2, 2}, make([]float32, 4)).bytes(t), nil, "token 2 of the tokenizer has no vector"},
		"a mapping beyond the vectors": {new(tensors).add(t, "embeddings", "F32", []int{2, 2}, make([]float32, 4)).add(t, "mapping", "I32", []int{n}, mapped(n)).bytes(t), nil, "has no vector"},
		"a short mapping":              {new(tensors).add(t, "embeddings", "F32", []int{20, 2}, make([]float32, 40)).add(t, "mapping", "I32", []int{1}, []int32{0}).bytes(t), nil, "has no vector"},
		"Unigram":                      {vectors(n, 3), func(_, m object) { m["type"], m["vocab"] = "Unigram", []any{} }, `type "Unigram" is not supported`},
		"another normalizer":           {vectors(n, 3), func(n, _ object) { n["type"] = "Sequence" }, "normalizer is not supported"},
		"an empty vocabulary":          {vectors(n, 3), func(_, m object) { m["vocab"] = object{} }, "vocabulary is empty"},
		"a huge id":                    {vectors(n, 3), func(_, m object) { m["vocab"] = object{"x": 1 << 40} }, "has invalid id"},
		"a malformed vocabulary":       {vectors(n, 3), func(_, m object) { m["vocab"] = object{"x": "y"} }, "invalid vocabulary"},
	} {
		t.Run(name, func(t *testing.T) {
			err := model2vec.New(model2vec.Folder(folder(t, test.tensors, tokenizer(test.change), object{}))).Start(t.Context())
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") || !strings.HasPrefix(err.Error(), "embeddings model /") {
				t.Errorf("got %v", err)
			}
		})
	}
}

func mapped(n int) []int32 {
	rows := make([]int32, n)
	rows[n-1] = 2
	return rows
}

func TestAFileThatIsMissingIsNamed(t *testing.T) {
	for _, name := range []string{"config.json", "tokenizer.json", "model.safetensors"} {
		path := folder(t, plain(t), tokenizer(nil), object{})
		if err := os.Remove(filepath.Join(path, name)); err != nil {
			t.Fatal(err)
		}
		if err := model2vec.New(model2vec.Folder(path)).Start(t.Context()); err == nil || !strings.HasSuffix(err.Error(), path+": "+name+": no such file or directory") {
			t.Errorf("got %v", err)
		}
	}
}

func TestATruncatedFileIsAnError(t *testing.T) {
	path := folder(t, plain(t), tokenizer(nil), object{})
	e := start(t, path)
	if err := os.Truncate(filepath.Join(path, "model.safetensors"), 100); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Embed(t.Context(), []string{"issues"}); err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Embed(ctx, []string{"x"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// testdata/tokens.json holds random texts and their tokens according to Hugging Face's
// @huggingface/tokenizers 0.2.0 with the vocabulary of these tests.
func TestTokensAreThoseOfHuggingFace(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "tokens.json"))
	if err != nil {
		t.Fatal(err)
	}
	var rows []struct {
		Text string `json:"text"`
		IDs  []int  `json:"ids"`
	}
	if err := json.Unmarshal(text, &rows); err != nil || len(rows) < 300 {
		t.Fatalf("%d rows: %v", len(rows), err)
	}
	n := len(vocabulary())
	each := make([]float32, n*n) // the vector of token i is the i-th unit vector
	for i := range n {
		each[i*n+i] = 1
	}
	e := start(t, folder(t, new(tensors).add(t, "embeddings", "F32", []int{n, n}, each).bytes(t), tokenizer(nil), object{}))
	for _, row := range rows {
		known := slices.DeleteFunc(row.IDs, func(id int) bool { return id == 1 })
		want := make([]float32, n)
		for _, id := range known {
			want[id] += 1 / float32(len(known))
		}
		if got, err := e.Embed(t.Context(), []string{row.Text}); err != nil || !same(got[0], want) {
			t.Errorf("%q: got %v, %v, want %v", row.Text, got, err, want)
		}
	}
}
