package search

import "strings"

// tuning is what the measurements compare.
type tuning struct {
	synonym   float64 // what a synonym counts; 0 leaves them out
	correct   float64 // what a term counts that a word was corrected to; 0 leaves them out
	thesaurus map[string][]string
}

func defaultTuning() tuning {
	return tuning{synonym: .5, correct: .5, thesaurus: readThesaurus(thesaurus)}
}

// readThesaurus returns the synonyms of each stem.
func readThesaurus(groups []string) map[string][]string {
	synonyms := map[string][]string{}
	for _, group := range groups {
		var stems []string
		for word := range strings.FieldsSeq(group) {
			stems = append(stems, stem(word))
		}
		for i, s := range stems {
			for j, other := range stems {
				if i != j && s != other {
					synonyms[s] = append(synonyms[s], other)
				}
			}
		}
	}
	return synonyms
}

// thesaurus has a group of words a line, each of which may stand for the others.
var thesaurus = []string{
	"create add new make insert generate",
	"delete remove drop erase",
	"update edit modify change patch",
	"get fetch retrieve read show view obtain",
	"list enumerate browse",
	"search find lookup query discover",
	"send post publish deliver",
	"run execute launch start invoke",
	"stop cancel abort terminate kill",
	"issue ticket bug",
	"repo repository",
	"message chat dm",
	"email mail inbox",
	"folder directory",
	"file document",
	"picture image photo",
	"movie film",
	"calendar event meeting appointment schedule",
	"money currency price cost",
	"weather forecast temperature",
	"compute calculate",
	"translate translation",
	"flight airline plane",
	"hotel accommodation lodging",
	"stock share ticker",
	"paper article publication",
	"website webpage site page url",
	"user account profile member",
	"database db",
	"table sheet spreadsheet",
	"job career employment vacancy",
	"convert transform",
	"merge combine join",
	"copy duplicate clone",
	"move rename transfer",
	"location place address",
	"map geocode",
	"route direction navigation",
}
