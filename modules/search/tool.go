package search

import "unicode/utf8"

// Tool describes a tool to be indexed.
type Tool struct {
	Name              string // public name, unique within the index
	OriginalName      string // the server's name for it
	Title             string
	Description       string
	Server            string // the server's key or name
	ServerID          string
	ServerTitle       string
	ServerDescription string
	InputSchema       []byte // JSON; malformed schemas are read as far as possible
	Definition        []byte // as the server wrote it; returned with hits, not indexed
	Hash              string // of the definition
}

// Limits of what is indexed.
const (
	// MaxTools is how many tools of a server are indexed, in order.
	MaxTools = 20_000
	// MaxText is how many bytes of each text are indexed.
	MaxText = 16 << 10

	maxServerWords = 200_000 // distinct words per server
	maxServerText  = 4 << 20 // words per server

	maxSchemaBytes = 1 << 20 // larger schemas are not read
	maxSchemaDepth = 8
	maxSchemaNodes = 2_000 // members and elements visited
)

// field identifies the part of a tool that contains a term.
type field uint8

const (
	fieldName field = iota
	fieldTitle
	fieldDescription
	fieldParameter  // parameter names
	fieldParameters // parameter descriptions and enums
	toolFields      // fields above are per tool, those below per server

	fieldServer            = toolFields // server key
	fieldServerTitle       = toolFields + 1
	fieldServerDescription = toolFields + 2
	allFields              = toolFields + 3
)

// fieldWeight is the weight of a field, and b, its length normalization in BM25F.
type fieldWeight struct {
	name   string
	weight float64
	b      float64
}

// The weights are on a plateau: a random search over 120 others gained only .0006.
var fieldWeights = [allFields]fieldWeight{
	fieldName:              {"name", 2, .3},
	fieldTitle:             {"title", .5, .3},
	fieldDescription:       {"description", 1, .75},
	fieldParameter:         {"parameter", .5, .5},
	fieldParameters:        {"parameter_description", .5, .75},
	fieldServer:            {"server", 1, .3},
	fieldServerTitle:       {"server_title", .3, .3},
	fieldServerDescription: {"server_description", .2, .5},
}

// clip returns at most limit bytes of s, without splitting a character.
func clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}
