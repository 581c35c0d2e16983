package clients

import (
	"regexp"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/tailscale/hujson"
)

// Shown has the texts that a [Diff] does not hide, in the places where this program
// writes them. The zero value hides everything.
type Shown struct {
	Servers string // root member
	Key     string // of the entry
	Texts   []string
}

// Diff returns the unified diff of an edit. All values and comments, which may contain
// secrets, are hidden, except for those that shown names.
func Diff(name string, before, after []byte, shown Shown) string {
	return udiff.Unified(name, name, masked(before, shown), masked(after, shown))
}

// hidden replaces a value or a comment.
const hidden = "***"

func masked(data []byte, shown Shown) string {
	doc, err := parse("", data)
	if err != nil || len(data) == 0 {
		return "" // there is no file yet; invalid files are reported elsewhere
	}
	m := masker{
		doc: doc, shown: shown,
		comment: regexp.MustCompile(`//[^\r\n]*|(?s:/\*.*?\*/)`), words: regexp.MustCompile(`[^\r\n]+`),
	}
	m.maskComments(0, doc.root.BeforeExtra)
	m.maskValue(&doc.root, atRoot)
	m.maskComments(doc.root.EndOffset, doc.text[doc.root.EndOffset:])
	return strings.ReplaceAll(string(applySplices(doc.text, m.splices)), "\r\n", "\n")
}

// masker collects the splices that hide values and comments.
type masker struct {
	doc     *document
	shown   Shown
	comment *regexp.Regexp // in a gap
	words   *regexp.Regexp // one line of a comment
	splices []splice
}

// place is a place in a client's file.
type place int

const (
	elsewhere place = iota
	atRoot
	inServers
	inEntry
	inShown
)

// placeOf returns the place of the value of a member of an object at at.
func (s Shown) placeOf(at place, name string) place {
	switch {
	case at == atRoot && name == s.Servers && name != "":
		return inServers
	case at == inServers && name == s.Key:
		return inEntry
	case at == inEntry && slices.Contains([]string{"type", "command", "args"}, name):
		return inShown
	default:
		return elsewhere
	}
}

func (m *masker) maskValue(v *hujson.Value, at place) {
	switch value := v.Value.(type) {
	case *hujson.Object:
		for i := range value.Members {
			member := &value.Members[i]
			m.maskGaps(&member.Name)
			m.maskGaps(&member.Value)
			m.maskValue(&member.Value, m.shown.placeOf(at, nameOf(*member)))
		}
		m.maskComments(v.EndOffset-1-len(value.AfterExtra), value.AfterExtra)
	case *hujson.Array:
		for i := range value.Elements {
			m.maskGaps(&value.Elements[i])
			m.maskValue(&value.Elements[i], at)
		}
		m.maskComments(v.EndOffset-1-len(value.AfterExtra), value.AfterExtra)
	case hujson.Literal:
		if at == inShown && slices.Contains(m.shown.Texts, value.String()) {
			return
		}
		if kind := value.Kind(); kind == '"' || kind == '0' {
			m.splices = append(m.splices, splice{v.StartOffset, len(value), `"` + hidden + `"`})
		}
	}
}

func (m *masker) maskGaps(v *hujson.Value) {
	m.maskComments(v.StartOffset-len(v.BeforeExtra), v.BeforeExtra)
	m.maskComments(v.EndOffset, v.AfterExtra)
}

func (m *masker) maskComments(at int, gap []byte) {
	for _, found := range m.comment.FindAllIndex(gap, -1) {
		text := "// " + hidden
		if gap[found[0]+1] == '*' {
			text = "/*" + m.words.ReplaceAllString(string(gap[found[0]+2:found[1]-2]), hidden) + "*/"
		}
		m.splices = append(m.splices, splice{at + found[0], found[1] - found[0], text})
	}
}
