package clients

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// splice replaces length bytes at an offset.
type splice struct {
	at, length int
	text       string
}

// apply does splices that do not overlap.
func apply(text []byte, splices []splice) []byte {
	slices.SortStableFunc(splices, func(a, b splice) int { return cmp.Compare(a.at, b.at) })
	var out []byte
	last := 0
	for _, s := range splices {
		out = append(append(out, text[last:s.at]...), s.text...)
		last = s.at + s.length
	}
	return append(out, text[last:]...)
}

// style returns how the file is laid out, as its root shows.
func (d *document) style() style {
	newline := "\n"
	if bytes.Contains(d.text, []byte("\r\n")) {
		newline = "\r\n"
	}
	members := membersOf(&d.root)
	switch {
	case len(members) == 0:
		return style{newline: newline, unit: "  ", space: " "}
	case bytes.ContainsRune(members[0].Name.BeforeExtra, '\n'):
		return style{newline: newline, unit: cmp.Or(indentOf(members[0].Name.BeforeExtra), "  "), space: " "}
	case bytes.Contains(d.text[d.root.StartOffset:d.root.EndOffset], []byte("\n")):
		return style{newline: newline, unit: "  ", space: " "}
	default:
		return style{space: string(blank(members[0].Value.BeforeExtra))}
	}
}

// indentOf is what stands between the last line break and a name.
func indentOf(extra hujson.Extra) string {
	line := extra[bytes.LastIndexByte(extra, '\n')+1:]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// insertion adds a member at the end of an object whose own line is indented
// by indent. The value is rendered for the indentation that it gets.
func (d *document) insertion(object *hujson.Value, indent, name string, value func(style, string) []byte) []splice {
	st := d.style()
	members := membersOf(object)
	tail := object.Value.(*hujson.Object).AfterExtra //nolint:forcetypeassert // callers have looked at its kind
	inner := indent + st.unit
	if len(members) > 0 {
		first := members[0].Name.BeforeExtra
		if !bytes.ContainsRune(first, '\n') {
			st.newline = "" // an object on one line stays on one
		} else if own := indentOf(first); own != "" {
			inner = own
		}
	}
	member := string(quote(name)) + ":" + st.gap() + string(value(st, inner))
	if len(members) == 0 {
		return d.first(object, tail, st, indent, member)
	}
	separator := st.newline + inner
	if st.newline == "" {
		separator = string(bytes.TrimLeft(members[0].Name.BeforeExtra, "\r\n"))
		if bytes.ContainsRune(members[0].Name.BeforeExtra, '/') {
			separator = st.space
		}
	}
	return last(members[len(members)-1].Value, tail, separator, member)
}

// first adds the member of an object that has none.
func (d *document) first(object *hujson.Value, tail hujson.Extra, st style, indent, member string) []splice {
	at := object.StartOffset + 1
	if st.newline == "" {
		return []splice{{at, len(blank(tail)), member}}
	}
	kept := sameLine(tail)
	text := st.newline + indent + st.unit + member
	if rest := tail[len(kept):]; !bytes.ContainsRune(rest, '\n') {
		return []splice{{at + len(kept), len(rest), text + st.newline + indent}}
	}
	return []splice{{at + len(kept), 0, text}}
}

// blank is the whole of a gap that holds nothing but white space.
func blank(gap hujson.Extra) hujson.Extra {
	if gap.IsStandard() {
		return gap
	}
	return nil
}

// last adds a member behind another. A comment on the line of that one stays
// with it.
func last(before hujson.Value, tail hujson.Extra, separator, member string) []splice {
	var kept hujson.Extra
	if strings.ContainsRune(separator, '\n') {
		kept = sameLine(tail)
	}
	if before.AfterExtra != nil { // there is a comma already, and people who like it
		at := before.EndOffset + len(before.AfterExtra) + 1
		return []splice{{at + len(kept), 0, separator + member + ","}}
	}
	if len(kept) == 0 {
		return []splice{{before.EndOffset, 0, "," + separator + member}}
	}
	return []splice{{before.EndOffset, 0, ","}, {before.EndOffset + len(kept), 0, separator + member}}
}

// sameLine is the part of a gap up to the end of the last comment that begins
// on its first line.
func sameLine(gap hujson.Extra) hujson.Extra {
	end := 0
	for at := 0; at < len(gap); {
		switch {
		case gap[at] == '\n':
			return gap[:end]
		case bytes.HasPrefix(gap[at:], []byte("//")):
			line := gap[at:]
			if newline := bytes.IndexByte(line, '\n'); newline >= 0 {
				line = line[:newline]
			}
			return gap[:at+len(bytes.TrimRight(line, "\r"))]
		case bytes.HasPrefix(gap[at:], []byte("/*")):
			at += 2 + bytes.Index(gap[at+2:], []byte("*/")) + 2
			end = at
		default:
			at++
		}
	}
	return gap[:end]
}

// removal takes a member out of an object, and leaves what people wrote around
// it.
func (d *document) removal(object *hujson.Value, i int) []splice {
	members := membersOf(object)
	tail := object.Value.(*hujson.Object).AfterExtra //nolint:forcetypeassert // callers have looked at its kind
	m := members[i]
	before := m.Name.BeforeExtra
	from := m.Name.StartOffset - len(before) + len(keptBefore(before))
	comma := i < len(members)-1 || m.Value.AfterExtra != nil
	to := m.Value.EndOffset
	if comma {
		to += len(m.Value.AfterExtra) + 1
	}
	if openComment(keptBefore(before)) && !startsLine(d.text[to:]) {
		from = m.Name.StartOffset - len(before) + bytes.LastIndexByte(before, '\n') + 1
	}
	splices := []splice{{from, to - from, ""}}
	switch {
	case !comma && i > 0:
		previous := members[i-1].Value
		splices = append(splices, splice{previous.EndOffset + len(previous.AfterExtra), 1, ""})
	case !comma && tail.IsStandard() && bytes.ContainsRune(tail, '\n') && len(keptBefore(before)) == 0:
		splices[0].length += len(tail)
	}
	return splices
}

// keptBefore is a gap without the line break and indentation at its end.
func keptBefore(gap hujson.Extra) hujson.Extra {
	kept := bytes.TrimRight(gap, " \t")
	kept = bytes.TrimSuffix(kept, []byte("\n"))
	return bytes.TrimSuffix(kept, []byte("\r"))
}

// openComment reports whether a gap ends within a line comment.
func openComment(gap hujson.Extra) bool {
	line := gap[bytes.LastIndexByte(gap, '\n')+1:]
	return bytes.Contains(line, []byte("//"))
}

// startsLine reports whether text may stand behind a line comment.
func startsLine(text []byte) bool {
	rest := bytes.TrimLeft(text, " \t\r")
	return len(rest) == 0 || rest[0] == '\n' || bytes.HasPrefix(rest, []byte("//"))
}
