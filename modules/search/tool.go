package search

import "unicode/utf8"

// Tool is what is indexed of a tool.
type Tool struct {
	Name              string // public; unique within the index
	Own               string // as its server calls it
	Title             string
	Description       string
	Server            string // the server's key or name
	ServerID          string
	ServerTitle       string
	ServerDescription string
	InputSchema       []byte // JSON; read tolerantly
	Definition        []byte // as the server wrote it; kept for the hits, not indexed
	Hash              string // of the definition
}

// What is indexed of a tool and of a server.
const (
	// MaxTools is how many tools of one server are indexed, in their order.
	MaxTools = 20_000
	// MaxText is how many bytes of each text of a tool are indexed.
	MaxText = 16 << 10

	maxServerWords = 200_000 // different ones of a server
	maxServerText  = 4 << 20 // words of a server

	maxSchemaBytes = 1 << 20 // of a schema that is read; a larger one is not
	maxSchemaDepth = 8
	maxSchemaNodes = 2_000 // members and elements that are visited
)

// field is where in a tool a term stands.
type field uint8

const (
	fieldName field = iota
	fieldTitle
	fieldDescription
	fieldParameter  // names of parameters
	fieldParameters // their descriptions and enums
	toolFields      // the fields so far differ between the tools of a server

	fieldServer            = toolFields // its key
	fieldServerTitle       = toolFields + 1
	fieldServerDescription = toolFields + 2
	allFields              = toolFields + 3
)

// fieldWeight is what a term counts in a field, and how much the length of the
// text lessens that.
type fieldWeight struct {
	name   string
	weight float64
	b      float64
}

// The settings are a plateau: a random search over 120 others gained .0006.
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

// clip returns at most limit bytes of s, whole characters.
func clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}
