package search

import "strings"

// tuning holds the parameters that measurements vary.
type tuning struct {
	Synonym   float64 // weight of a synonym; 0 disables synonyms
	Correct   float64 // weight of a corrected term; 0 disables corrections
	thesaurus map[string][]string
}

func defaultTuning() tuning {
	return tuning{Synonym: .4, Correct: .3, thesaurus: readThesaurus(thesaurus)}
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

// thesaurus lists groups of synonyms, one per line. It contains words common to all kinds
// of tools; groups that made the measured rankings worse are left out.
var thesaurus = []string{
	// Actions.
	"create add new make insert generate",
	"delete remove drop erase",
	"update edit modify",
	"get fetch retrieve obtain",
	"get show view display",
	"find search discover look",
	"find locate",
	"send post publish message",
	"run execute launch invoke",
	"stop cancel abort terminate kill",
	"analyze analysis examine inspect",
	"calculate compute determine",
	"convert transform",
	"issue ticket bug",
	"repo repository",
	"commit revision change",
	"email mail",
	"folder directory",
	"file document",
	"image picture photo",
	"video clip movie film",
	"music song audio",
	"calendar event meeting appointment",
	"reminder task todo",
	"book reserve reservation booking",
	"weather forecast temperature",
	"hotel accommodation",
	"recipe cook dish meal",
	"trip travel tour itinerary vacation",
	"stock share market",
	"cryptocurrency crypto bitcoin",
	"log history",
	"remember memory recall",
	"database db sql",
	"order purchase buy",
	"course class lesson",
	"recommend suggest recommendation suggestion",
	"list show",
	"copy duplicate clone",
	"translate translation",
	"summary summarize",
}
