package model2vec

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// wordPiece implements the Hugging Face tokenizer of that name, with BertNormalizer and
// BertPreTokenizer: https://huggingface.co/docs/tokenizers.
type wordPiece struct {
	vocabulary map[string]int
	size       int // largest id plus 1
	unknown    int // id of the unknown token, or -1
	prefix     string
	longest    int // maximum characters of a word
	longestKey int // maximum bytes of a token
	lower      bool
	accents    bool // whether to strip them
	clean      bool
	chinese    bool
}

// tokenizerFile is the relevant part of tokenizer.json.
type tokenizerFile struct {
	Normalizer *struct {
		Type    string `json:"type"`
		Clean   bool   `json:"clean_text"`
		Chinese bool   `json:"handle_chinese_chars"`
		Accents *bool  `json:"strip_accents"` // null means the value of Lower
		Lower   bool   `json:"lowercase"`
	} `json:"normalizer"`
	PreTokenizer *struct {
		Type string `json:"type"`
	} `json:"pre_tokenizer"`
	Model struct {
		Type       string          `json:"type"`
		Unknown    string          `json:"unk_token"`
		Prefix     *string         `json:"continuing_subword_prefix"`
		Longest    int             `json:"max_input_chars_per_word"`
		Vocabulary json.RawMessage `json:"vocab"` // a list in other types of models
	} `json:"model"`
}

// maxVocabulary limits the ids of tokens.
const maxVocabulary = 4 << 20

func parseTokenizer(text []byte) (*wordPiece, error) {
	var file tokenizerFile
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, err
	}
	switch {
	case file.Model.Type != "WordPiece":
		return nil, fmt.Errorf("tokenizer type %q is not supported, only WordPiece: use a model such as potion-base-8M", file.Model.Type)
	case file.Normalizer == nil || file.Normalizer.Type != "BertNormalizer":
		return nil, errors.New("the normalizer is not supported, only BertNormalizer: use a model such as potion-base-8M")
	case file.PreTokenizer == nil || file.PreTokenizer.Type != "BertPreTokenizer":
		return nil, errors.New("the pre-tokenizer is not supported, only BertPreTokenizer: use a model such as potion-base-8M")
	}
	t := &wordPiece{
		prefix: "##", longest: 100, unknown: -1,
		lower: file.Normalizer.Lower, accents: file.Normalizer.Lower,
		clean: file.Normalizer.Clean, chinese: file.Normalizer.Chinese,
	}
	if file.Normalizer.Accents != nil {
		t.accents = *file.Normalizer.Accents
	}
	if file.Model.Prefix != nil {
		t.prefix = *file.Model.Prefix
	}
	if file.Model.Longest > 0 {
		t.longest = file.Model.Longest
	}
	return t, t.setVocabulary(file.Model.Vocabulary, file.Model.Unknown)
}

func (t *wordPiece) setVocabulary(vocabulary json.RawMessage, unknown string) error {
	if err := json.Unmarshal(vocabulary, &t.vocabulary); err != nil {
		return fmt.Errorf("invalid vocabulary: %w", err)
	}
	for token, id := range t.vocabulary {
		if id < 0 || id >= maxVocabulary {
			return fmt.Errorf("token %q has invalid id %d", token, id)
		}
		t.size = max(t.size, id+1)
		t.longestKey = max(t.longestKey, len(token))
	}
	if t.size == 0 {
		return errors.New("the vocabulary is empty")
	}
	if id, ok := t.vocabulary[unknown]; ok {
		t.unknown = id
	}
	return nil
}

// encode returns the first ids of a text, skipping unknown tokens.
func (t *wordPiece) encode(text string, limit int) []int {
	var ids []int
	for _, word := range split(t.normalize(text)) {
		for _, id := range t.pieces(word) {
			if id != t.unknown {
				ids = append(ids, id)
			}
		}
		if len(ids) >= limit {
			return ids[:limit]
		}
	}
	return ids
}

// normalize implements BertNormalizer.
func (t *wordPiece) normalize(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case !t.clean:
			return r
		case r == '\t' || r == '\n' || r == '\r':
			return ' '
		case r == unicode.ReplacementChar || unicode.Is(unicode.C, r):
			return -1
		case unicode.IsSpace(r):
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	if t.chinese {
		text = spaceIdeographs(text)
	}
	if t.accents {
		text = strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Mn, r) {
				return -1
			}
			return r
		}, norm.NFD.String(text))
	}
	if t.lower {
		text = strings.ToLower(text)
	}
	return text
}

// spaceIdeographs puts spaces around each ideograph, which makes it a word.
func spaceIdeographs(text string) string {
	var b strings.Builder
	for _, r := range text {
		if isIdeograph(r) {
			b.WriteString(" " + string(r) + " ")
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// isIdeograph reports whether BERT treats r as a Chinese character.
func isIdeograph(r rune) bool {
	return r >= 0x4E00 && r <= 0x9FFF || r >= 0x3400 && r <= 0x4DBF || r >= 0xF900 && r <= 0xFAFF ||
		r >= 0x20000 && r <= 0x2CEAF || r >= 0x2F800 && r <= 0x2FA1F
}

// split implements BertPreTokenizer: it splits at spaces and makes each punctuation mark a
// word.
func split(text string) []string {
	var words []string
	for field := range strings.FieldsSeq(text) {
		begin := 0
		for i, r := range field {
			if !isPunctuation(r) {
				continue
			}
			if begin < i {
				words = append(words, field[begin:i])
			}
			words = append(words, string(r))
			begin = i + len(string(r))
		}
		if begin < len(field) {
			words = append(words, field[begin:])
		}
	}
	return words
}

// isPunctuation reports whether BERT treats r as punctuation, which includes all ASCII
// symbols.
func isPunctuation(r rune) bool {
	return r >= 33 && r <= 47 || r >= 58 && r <= 64 || r >= 91 && r <= 96 || r >= 123 && r <= 126 || unicode.IsPunct(r)
}

// pieces splits a word into tokens, greedily taking the longest match from the start.
func (t *wordPiece) pieces(word string) []int {
	if len([]rune(word)) > t.longest {
		return []int{t.unknown}
	}
	var ids []int
	for begin := 0; begin < len(word); {
		prefix := ""
		if begin > 0 {
			prefix = t.prefix
		}
		end := min(len(word), begin+t.longestKey)
		id, ok := 0, false
		for ; end > begin; end-- {
			if id, ok = t.vocabulary[prefix+word[begin:end]]; ok {
				break
			}
		}
		if !ok {
			return []int{t.unknown}
		}
		ids = append(ids, id)
		begin = end
	}
	return ids
}
