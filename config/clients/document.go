package clients

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"

	"mcp-aggregator/config"
)

// maxDepth bounds how deep a file may nest: the parser is recursive.
const maxDepth = 10_000

var byteOrderMark = []byte("\ufeff")

// document is a parsed file. Offsets count from behind the byte-order mark.
type document struct {
	name string // of the file, for messages
	bom  bool
	text []byte
	root hujson.Value
}

// parse reads JSON with comments and trailing commas. An empty file is an
// empty object: that is what clients take it for.
func parse(name string, data []byte) (*document, error) {
	d := &document{name: name, bom: bytes.HasPrefix(data, byteOrderMark)}
	d.text = bytes.TrimPrefix(data, byteOrderMark)
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		return nil, d.problemAt(0, "file is encoded as UTF-16; save it as UTF-8")
	}
	if len(bytes.TrimSpace(d.text)) == 0 {
		d.text = []byte("{}\n")
	}
	if tooDeep(d.text) {
		return nil, d.problemAt(0, fmt.Sprintf("file nests deeper than %d levels; give the path of a client's configuration", maxDepth))
	}
	var err error
	// The parser wants a line comment to end with its line. Nothing behind the
	// root is ever edited, so that the newline does not show up again.
	d.root, err = hujson.Parse(append(bytes.Clone(d.text), '\n'))
	if err != nil {
		return nil, d.syntaxError(err)
	}
	if d.root.Value.Kind() != '{' {
		return nil, d.problemAt(d.root.StartOffset, `value is not an object; write {"mcpServers": {...}}`)
	}
	return d, nil
}

// withBOM is the file again, with that text.
func (d *document) withBOM(text []byte) []byte {
	if d.bom {
		return append(bytes.Clone(byteOrderMark), text...)
	}
	return text
}

func tooDeep(text []byte) bool {
	depth := 0
	for _, c := range text {
		switch c {
		case '{', '[':
			if depth++; depth > maxDepth {
				return true
			}
		case '}', ']':
			depth--
		}
	}
	return false
}

// syntaxError tells of an error of the parser's, without the text that it may quote.
func (d *document) syntaxError(err error) error {
	var line, column int
	position := regexp.MustCompile(`^hujson: line (\d+), column (\d+): `)
	if at := position.FindStringSubmatch(err.Error()); at != nil {
		_, _ = fmt.Sscan(at[1]+" "+at[2], &line, &column) // digits always scan
	}
	reason := "invalid value"
	if cause := errors.Unwrap(err); cause != nil && !strings.HasPrefix(cause.Error(), "invalid literal") {
		reason = cause.Error()
	}
	problem := d.problemAt(d.offsetOf(line, column), reason+"; correct the JSON here")
	problem.Code, problem.Err = config.InvalidJSON, err
	return problem
}

// offsetOf is a place in the text, in bytes, of one that counts from 1.
func (d *document) offsetOf(line, column int) int {
	at := 0
	for range line - 1 {
		at += bytes.IndexByte(d.text[at:], '\n') + 1
	}
	if lines := 1 + bytes.Count(d.text, []byte("\n")); line > lines {
		return len(d.text)
	}
	return min(at+column-1, len(d.text))
}

// problemAt is one line about a place in the file.
func (d *document) problemAt(at int, message string) *config.Error {
	before := d.text[:at]
	begin := bytes.LastIndexByte(before, '\n') + 1
	return &config.Error{
		Code: config.InvalidSchema, File: d.name, Message: message,
		Line: 1 + bytes.Count(before, []byte("\n")), Column: 1 + utf8.RuneCount(before[begin:]),
	}
}

// findMember returns the member of an object. That it occurs twice is an error:
// clients differ in which one they take.
func (d *document) findMember(object *hujson.Value, name string) (found *hujson.ObjectMember, err error) {
	members := object.Value.(*hujson.Object).Members //nolint:forcetypeassert // callers have looked at its kind
	for i := range members {
		if nameOf(members[i]) != name {
			continue
		}
		if found != nil {
			return nil, d.problemAt(members[i].Name.StartOffset,
				fmt.Sprintf("member %q occurs twice; remove one of them", name))
		}
		found = &members[i]
	}
	return found, nil
}

// findObject is like find for a member that must be an object; nil if there is none.
func (d *document) findObject(parent *hujson.Value, name string) (*hujson.Value, error) {
	m, err := d.findMember(parent, name)
	if m == nil || err != nil {
		return nil, err
	}
	if m.Value.Value.Kind() != '{' {
		return nil, d.problemAt(m.Value.StartOffset, fmt.Sprintf("value of %q is not an object; write {...}", name))
	}
	return &m.Value, nil
}

func nameOf(m hujson.ObjectMember) string {
	if name, ok := m.Name.Value.(hujson.Literal); ok {
		return name.String()
	}
	return ""
}

func membersOf(v *hujson.Value) []hujson.ObjectMember {
	if object, ok := v.Value.(*hujson.Object); ok {
		return object.Members
	}
	return nil
}
