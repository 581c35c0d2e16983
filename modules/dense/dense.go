package dense

import (
	"cmp"
	"context"
	"crypto/sha256"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Embedder computes vectors of texts.
type Embedder interface {
	// Model identifies the model: vectors of different models cannot be compared.
	Model() string
	// Embed returns one vector per text, in order, all with the same dimension. The caller
	// owns the result. An [*Error] with code [Rejected] means that a text is at fault, not
	// the embedder.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// Hash is the SHA-256 of the input of a vector. It is an alias so that other packages can
// store vectors without importing this one.
type Hash = [sha256.Size]byte

// Space is a set of vectors that are comparable with each other.
type Space struct {
	Model     string
	Dimension int
}

// Payload is stored with a vector so that searches can filter by it.
type Payload struct {
	ServerID   string // of the server's record
	Server     string // name of the server
	Name       string // of the tool, as its server calls it
	Classified bool   // whether the tool has been assigned skills
	SkillIDs   []string
}

// Equal reports whether two payloads are the same.
func (p Payload) Equal(other Payload) bool {
	return p.ServerID == other.ServerID && p.Server == other.Server && p.Name == other.Name &&
		p.Classified == other.Classified && slices.Equal(p.SkillIDs, other.SkillIDs)
}

// Point is the payload of the vector with the given hash.
type Point struct {
	Hash Hash
	Payload
}

// Vector is a point with its vector, which has length 1 or consists of zeros.
type Vector struct {
	Point

	Values []float32
}

// Neighbor is a vector that is near a query.
type Neighbor struct {
	Hash   Hash
	Cosine float64 // (0, 1]
}

// VectorStore stores vectors by space and hash. Its methods are safe for concurrent use and
// return when their context ends. They return an error for vectors whose dimension is not
// that of the space.
type VectorStore interface {
	// Put adds or replaces vectors.
	Put(ctx context.Context, space Space, vectors []Vector) error
	// Get returns the stored vectors among hashes.
	Get(ctx context.Context, space Space, hashes []Hash) (map[Hash][]float32, error)
	// Refresh updates the payloads of the stored vectors among points, marks them as
	// used, and returns their hashes.
	Refresh(ctx context.Context, space Space, points []Point) ([]Hash, error)
	// Nearest returns at most k vectors of the named servers that have a positive cosine
	// with query, nearest first. An approximate index may miss some.
	Nearest(ctx context.Context, space Space, query []float32, k int, servers []string) ([]Neighbor, error)
	// DeleteUnused deletes the vectors of all spaces that were last put or refreshed
	// before the given time. A store may record a use up to a day late.
	DeleteUnused(ctx context.Context, before time.Time) error
}

// Tool is the text of a tool to embed, with its payload.
type Tool struct {
	Payload

	Title, Description string
	Parameters         []string // parameter names
}

// Score says how near a tool is to a query.
type Score struct {
	Server, OriginalName string  // names of the server and of the tool, as the server calls it
	Cosine               float64 // (0, 1]
}

// text returns the text to embed for a tool: the words of its name, its title, its
// description and its parameters, cut to limit bytes.
func (t Tool) text(prefix string, limit int) string {
	parts := []string{splitName(t.Server) + " " + splitName(t.Name)}
	for _, part := range []string{t.Title, truncate(t.Description, limit)} {
		if part = cleanText(part); part != "" {
			parts = append(parts, part)
		}
	}
	if len(t.Parameters) > 0 {
		parts = append(parts, "Parameters: "+splitName(strings.Join(t.Parameters, ", ")))
	}
	return prefix + truncate(strings.Join(parts, ". "), limit)
}

// hash returns the hash of the text and the full name of the tool, because different names
// can consist of the same words.
func (t Tool) hash(text string) Hash {
	return sha256.Sum256([]byte(t.Server + "\x00" + t.Name + "\x00" + text))
}

// splitName splits a name into words: createIssue_v2 becomes create Issue v2.
func splitName(name string) string {
	var b strings.Builder
	var before rune
	for _, r := range name {
		if unicode.IsUpper(r) && unicode.IsLower(before) || r == '_' || r == '-' || r == '/' || r == '.' {
			b.WriteByte(' ')
		}
		if r != '_' && r != '-' && r != '/' && r != '.' {
			b.WriteRune(r)
		}
		before = r
	}
	return cleanText(b.String())
}

// cleanText returns text on one line, without control and format characters.
func cleanText(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	return strings.Join(strings.Fields(text), " ")
}

// truncate returns at most limit bytes of text, without splitting a character.
func truncate(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}

// compareScores orders scores by descending cosine, then by name.
func compareScores(a, b Score) int {
	return cmp.Or(cmp.Compare(b.Cosine, a.Cosine), cmp.Compare(a.Server, b.Server), cmp.Compare(a.OriginalName, b.OriginalName))
}
