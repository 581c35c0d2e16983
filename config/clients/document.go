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

// maxDepth is the deepest nesting of a file that is parsed: the parser is recursive.
const maxDepth = 10_000

var byteOrderMark = []byte("\ufeff")

// document is a parsed file. Offsets do not include the byte order mark.
type document struct {
	name string // of the file, for messages
	bom  bool
	text []byte
	root hujson.Value
}

// parse parses JSON with comments and trailing commas. An empty file is an empty object,
// as it is for clients.
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
	// The parser requires a newline after a line comment. Text after the root is never
	// edited, so the added newline does not appear in the result.
	d.root, err = hujson.Parse(append(bytes.Clone(d.text), '\n'))
	if err != nil {
		return nil, d.syntaxError(err)
	}
	if d.root.Value.Kind() != '{' {
		return nil, d.problemAt(d.root.StartOffset, `value is not an object; write {"mcpServers": {...}}`)
	}
	return d, nil
}

// withBOM returns text with a byte order mark if the file had one.
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

// syntaxError returns the problem for an error of the parser, without the text of the
// file that the error may quote.
func (d *document) syntaxError(err error) error {
	var line, column int
	position := regexp.MustCompile(`^hujson: line (\d+), column (\d+): `)
	if at := position.FindStringSubmatch(err.Error()); at != nil {
		_, _ = fmt.Sscan(at[1]+" "+at[2], &line, &column) // never fails for digits
	}
	reason := "invalid value"
	if cause := errors.Unwrap(err); cause != nil && !strings.HasPrefix(cause.Error(), "invalid literal") {
		reason = cause.Error()
	}
	problem := d.problemAt(d.offsetOf(line, column), reason+"; correct the JSON here")
	problem.Code, problem.Err = config.InvalidJSON, err
	return problem
}

// offsetOf returns the offset, in bytes, of a line and a column that count from 1.
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

// problemAt returns a problem with the line and column of an offset.
func (d *document) problemAt(at int, message string) *config.Error {
	before := d.text[:at]
	begin := bytes.LastIndexByte(before, '\n') + 1
	return &config.Error{
		Code: config.InvalidSchema, File: d.name, Message: message,
		Line: 1 + bytes.Count(before, []byte("\n")), Column: 1 + utf8.RuneCount(before[begin:]),
	}
}

// findMember returns the member of an object with that name, nil if there is none. A
// repeated member is an error, because clients differ in which one they use.
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

// findObject is like findMember, but returns the value, which must be an object.
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
