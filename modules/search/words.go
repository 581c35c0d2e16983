package search

import (
	"strings"
	"unicode"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// maxWord is how many bytes of a word count: longer ones are data, not words.
const maxWord = 64

// unspaced lists the scripts written without spaces, whose words are indexed as bigrams.
var unspaced = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
	unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}

func isUnspaced(r rune) bool { return r >= 0xe00 && unicode.In(r, unspaced...) }

// eachWord calls yield with the words of text in order, case-folded but not stemmed. Words
// are runs of letters and digits, split at camelCase and after digits. With join, a run
// split in two is also yielded as a whole, so that GitHub matches github. Unspaced scripts
// yield bigrams.
func eachWord(text string, join bool, yield func(word string)) {
	text = stripMarks(text)
	for text != "" {
		start := strings.IndexFunc(text, isWordRune)
		if start < 0 {
			return
		}
		text = text[start:]
		end := strings.IndexFunc(text, func(r rune) bool { return !isWordRune(r) })
		if end < 0 {
			end = len(text)
		}
		splitRun(text[:end], join, yield)
		text = text[end:]
	}
}

func isWordRune(r rune) bool {
	if r < 0x80 {
		return 'a' <= r|0x20 && r|0x20 <= 'z' || '0' <= r && r <= '9'
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// stripMarks removes diacritics and normalizes equivalent Unicode forms.
func stripMarks(text string) string {
	if isASCII(text) {
		return text
	}
	apart := strings.Map(func(r rune) rune {
		if 0x300 <= r && r <= 0x36f { // those of Latin, Greek and Cyrillic
			return -1
		}
		return r
	}, norm.NFKD.String(strings.ToValidUTF8(text, " ")))
	return norm.NFC.String(apart)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// splitRun yields the words of a run of letters and digits.
func splitRun(run string, join bool, yield func(string)) {
	start, parts := 0, 0
	before, last := rune(0), rune(0)
	for i, r := range run {
		switch {
		case last == 0:
		case isUnspaced(r) != isUnspaced(last):
			yieldPart(run[start:i], last, yield)
			start, parts = i, parts+2 // mixed scripts are not joined
		case unicode.IsUpper(r) && unicode.IsLower(last), unicode.IsLetter(r) && unicode.IsDigit(last):
			yieldPart(run[start:i], last, yield)
			start, parts = i, parts+1
		case unicode.IsLower(r) && unicode.IsUpper(last) && unicode.IsUpper(before): // HTTPServer
			at := i - len(string(last))
			yieldPart(run[start:at], last, yield)
			start, parts = at, parts+1
		}
		before, last = last, r
	}
	yieldPart(run[start:], last, yield)
	if parts == 1 && join {
		yield(fold(run))
	}
}

func yieldPart(part string, last rune, yield func(string)) {
	if part == "" {
		return
	}
	if !isUnspaced(last) {
		yield(fold(part))
		return
	}
	runes := []rune(part)
	if len(runes) == 1 {
		yield(part)
	}
	for i := range len(runes) - 1 {
		yield(string(runes[i : i+2]))
	}
}

func fold(word string) string {
	word = clip(word, maxWord)
	if isASCII(word) {
		return strings.ToLower(word)
	}
	return cases.Fold().String(word)
}

// stem returns the stem that a word shares with its other forms, or "" for a stop word.
func stem(word string) string {
	if stopWords[word] {
		return ""
	}
	for i := range len(word) {
		if c := word[i]; c < 'a' || c > 'z' {
			return word
		}
	}
	if len(word) < 3 {
		return word
	}
	env := snowballstem.NewEnv(word)
	english.Stem(env)
	return env.Current()
}

// stopWords are words too common in English to be useful.
var stopWords = map[string]bool{
	"a": true, "about": true, "above": true, "after": true, "again": true, "against": true, "all": true, "also": true,
	"am": true, "an": true, "and": true, "any": true, "are": true, "as": true, "at": true, "be": true, "because": true,
	"been": true, "before": true, "being": true, "below": true, "between": true, "both": true, "but": true, "by": true,
	"can": true, "could": true, "did": true, "do": true, "does": true, "doing": true, "down": true, "during": true,
	"each": true, "few": true, "for": true, "from": true, "further": true, "had": true, "has": true, "have": true,
	"having": true, "he": true, "her": true, "here": true, "hers": true, "him": true, "his": true, "how": true,
	"i": true, "if": true, "in": true, "into": true, "is": true, "it": true, "its": true, "itself": true, "just": true,
	"me": true, "more": true, "most": true, "my": true, "myself": true, "no": true, "nor": true, "not": true,
	"of": true, "off": true, "on": true, "once": true, "only": true, "or": true, "other": true, "our": true,
	"ours": true, "out": true, "over": true, "own": true, "please": true, "same": true, "she": true, "should": true,
	"so": true, "some": true, "such": true, "than": true, "that": true, "the": true, "their": true, "theirs": true,
	"them": true, "then": true, "there": true, "these": true, "they": true, "this": true, "those": true,
	"through": true, "to": true, "too": true, "under": true, "until": true, "up": true, "us": true, "very": true,
	"was": true, "we": true, "were": true, "what": true, "when": true, "where": true, "which": true, "while": true,
	"who": true, "whom": true, "why": true, "will": true, "with": true, "would": true, "you": true, "your": true,
	"yours": true, "s": true, "t": true, "d": true, "m": true, "ll": true, "re": true, "ve": true, "don": true,
	"doesn": true, "didn": true, "isn": true, "im": true, "let": true, "want": true, "need": true, "like": true,
}
