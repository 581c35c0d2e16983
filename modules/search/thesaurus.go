package search

import "strings"

// tuning is what the measurements compare.
type tuning struct {
	Synonym   float64 // what a synonym counts; 0 leaves them out
	Correct   float64 // what a term counts that a word was corrected to; 0 leaves them out
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

// thesaurus has a group of words a line, each of which may stand for the others.
// What stands here is common to tools of all kinds; a group that made the measured
// rankings worse is left out.
var thesaurus = []string{
	// What is done.
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
