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

// Embedder makes vectors of texts.
type Embedder interface {
	// Model names what makes the vectors: of another model they cannot be compared.
	Model() string
	// Embed returns one vector a text, in order, all of one dimension, which are the
	// caller's from then on. An [*Error] with
	// [Rejected] says that a text, not the embedder, is at fault.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// Hash is the SHA-256 of what a vector was made of. It is an alias, so that others can
// keep vectors without importing this package.
type Hash = [sha256.Size]byte

// Space is a set of vectors that can be compared with each other.
type Space struct {
	Model     string
	Dimension int
}

// Payload is what stores keep beside a vector, to filter by it.
type Payload struct {
	ServerID   string // of the server's record
	Server     string // its name
	Name       string // the tool's, as its server calls it
	Classified bool   // whether skills were assigned
	SkillIDs   []string
}

// Equal reports whether two payloads are the same.
func (p Payload) Equal(other Payload) bool {
	return p.ServerID == other.ServerID && p.Server == other.Server && p.Name == other.Name &&
		p.Classified == other.Classified && slices.Equal(p.SkillIDs, other.SkillIDs)
}

// Point is the payload of the vector with a hash.
type Point struct {
	Hash Hash
	Payload
}

// Vector is a point with its vector, of length 1 (or of zeros).
type Vector struct {
	Point

	Values []float32
}

// Neighbor is a vector near another one.
type Neighbor struct {
	Hash   Hash
	Cosine float64 // (0, 1]
}

// VectorStore keeps vectors by space and hash. Its methods may be called from several
// goroutines, and end with their context. Vectors of another dimension than the space's are
// an error.
type VectorStore interface {
	// Put adds vectors, or replaces them.
	Put(ctx context.Context, space Space, vectors []Vector) error
	// Get returns those vectors that are stored.
	Get(ctx context.Context, space Space, hashes []Hash) (map[Hash][]float32, error)
	// Refresh gives the vectors that are stored the payloads of points, notes that they
	// are in use, and returns their hashes.
	Refresh(ctx context.Context, space Space, points []Point) ([]Hash, error)
	// Nearest returns at most k vectors of servers, by name, that have a positive cosine
	// with query: the nearest first. An index may miss some.
	Nearest(ctx context.Context, space Space, query []float32, k int, servers []string) ([]Neighbor, error)
	// DeleteUnused deletes, of all spaces, the vectors that were last put or refreshed
	// before then. A store may note a use a day late.
	DeleteUnused(ctx context.Context, before time.Time) error
}

// Tool is what is embedded of a tool, with its payload.
type Tool struct {
	Payload

	Title, Description string
	Parameters         []string // their names
}

// Score says how near a tool is to a query.
type Score struct {
	Server, Own string  // names of the server and, as it calls it, of the tool
	Cosine      float64 // (0, 1]
}

// text is what of a tool is embedded: its namespaced name in words, its title, its
// description and its parameters, cut to limit bytes.
func (t Tool) text(prefix string, limit int) string {
	parts := []string{words(t.Server) + " " + words(t.Name)}
	for _, part := range []string{t.Title, head(t.Description, limit)} {
		if part = plain(part); part != "" {
			parts = append(parts, part)
		}
	}
	if len(t.Parameters) > 0 {
		parts = append(parts, "Parameters: "+words(strings.Join(t.Parameters, ", ")))
	}
	return prefix + head(strings.Join(parts, ". "), limit)
}

// hash is that of the text and of the tool's name in full, since two names may have the
// same words.
func (t Tool) hash(text string) Hash {
	return sha256.Sum256([]byte(t.Server + "\x00" + t.Name + "\x00" + text))
}

// words separates the words of a name: createIssue_v2 is create Issue v2.
func words(name string) string {
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
	return plain(b.String())
}

// plain is text without control and format characters, in one line.
func plain(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	return strings.Join(strings.Fields(text), " ")
}

// head is the beginning of text, of at most limit bytes and whole characters.
func head(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}

// compareScores orders scores by cosine, then by name.
func compareScores(a, b Score) int {
	return cmp.Or(cmp.Compare(b.Cosine, a.Cosine), cmp.Compare(a.Server, b.Server), cmp.Compare(a.Own, b.Own))
}
