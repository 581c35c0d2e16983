package clients

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"mcp-aggregator/config"
)

// splice is the replacement of length bytes at an offset.
type splice struct {
	at, length int
	text       string
}

// applySplices returns text with all splices applied. They must not overlap.
func applySplices(text []byte, splices []splice) []byte {
	slices.SortStableFunc(splices, func(a, b splice) int { return cmp.Compare(a.at, b.at) })
	var out []byte
	last := 0
	for _, s := range splices {
		out = append(append(out, text[last:s.at]...), s.text...)
		last = s.at + s.length
	}
	return append(out, text[last:]...)
}

// style returns the layout of the file, judging by its root.
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
		return style{space: string(whiteSpaceOnly(members[0].Value.BeforeExtra))}
	}
}

// indentOf returns the indentation of a name: the white space after the last line break.
func indentOf(extra hujson.Extra) string {
	line := extra[bytes.LastIndexByte(extra, '\n')+1:]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// insertMembers returns the splices that append members to an object, where indent is
// the indentation of the line that the object begins on.
func (d *document) insertMembers(object *hujson.Value, indent string, added []field) []splice {
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
	separator := st.newline + inner
	if st.newline == "" {
		separator = st.space
	}
	if len(members) == 0 {
		return d.insertFirst(object, tail, st, indent, st.renderMembers(added, inner, separator))
	}
	gap := members[0].Name.BeforeExtra
	if own := bytes.TrimLeft(gap, "\r\n"); st.newline == "" && len(own) > 0 && !bytes.ContainsRune(gap, '/') {
		separator = string(own)
	}
	return insertLast(members[len(members)-1].Value, tail, separator, st.renderMembers(added, inner, separator))
}

// renderMembers renders fields as members with that indentation, with a comma and the
// separator between them.
func (s style) renderMembers(fields []field, indent, separator string) string {
	var texts []string
	for _, f := range fields {
		texts = append(texts, string(quote(f.name))+":"+s.colonSpace()+string(s.renderValue(f.value, indent)))
	}
	return strings.Join(texts, ","+separator)
}

// insertFirst returns the splice that adds a member to an object without members.
func (d *document) insertFirst(object *hujson.Value, tail hujson.Extra, st style, indent, member string) []splice {
	at := object.StartOffset + 1
	if st.newline == "" {
		return []splice{{at, len(whiteSpaceOnly(tail)), member}}
	}
	kept := sameLine(tail)
	text := st.newline + indent + st.unit + member
	if rest := tail[len(kept):]; !bytes.ContainsRune(rest, '\n') {
		return []splice{{at + len(kept), len(rest), text + st.newline + indent}}
	}
	return []splice{{at + len(kept), 0, text}}
}

// whiteSpaceOnly returns gap if it contains only white space, nil otherwise.
func whiteSpaceOnly(gap hujson.Extra) hujson.Extra {
	if gap.IsStandard() {
		return gap
	}
	return nil
}

// insertLast returns the splices that add a member after the last one. A comment on the
// line of that one stays with it.
func insertLast(before hujson.Value, tail hujson.Extra, separator, member string) []splice {
	var kept hujson.Extra
	if strings.ContainsRune(separator, '\n') {
		kept = sameLine(tail)
	}
	if before.AfterExtra != nil { // keep the style of trailing commas
		at := before.EndOffset + len(before.AfterExtra) + 1
		return []splice{{at + len(kept), 0, separator + member + ","}}
	}
	if len(kept) == 0 {
		return []splice{{before.EndOffset, 0, "," + separator + member}}
	}
	return []splice{{before.EndOffset, 0, ","}, {before.EndOffset + len(kept), 0, separator + member}}
}

// sameLine returns the part of a gap up to the end of the last comment that begins on
// its first line.
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

// removeMembers returns the text of d without the members of object that drop names, and
// with the comments around them. It modifies d, which must not be used afterwards.
func (d *document) removeMembers(object *hujson.Value, drop map[string]bool) ([]byte, error) {
	target := object.Value.(*hujson.Object) //nolint:forcetypeassert // callers have looked at its kind
	var kept []hujson.ObjectMember
	for i := range target.Members {
		following := &target.AfterExtra
		if i+1 < len(target.Members) {
			following = &target.Members[i+1].Name.BeforeExtra
		}
		if m := target.Members[i]; drop[nameOf(m)] {
			joinGaps(kept, m, following, i+1 < len(target.Members))
		} else {
			kept = append(kept, m)
		}
	}
	target.Members = kept
	text := d.root.Pack()
	text = text[:len(text)-1] // the newline that parse added
	if _, err := parse(d.name, text); err != nil {
		return nil, &config.Error{
			Code: config.InvalidSchema, File: d.name,
			Message: "layout of the file is not understood; remove the entry by hand",
		}
	}
	return text, nil
}

// joinGaps merges the gaps around a removed member into following, the gap before the
// next member or before the end of the object.
func joinGaps(kept []hujson.ObjectMember, gone hujson.ObjectMember, following *hujson.Extra, more bool) {
	before := gone.Name.BeforeExtra
	stays := keptBefore(before)
	alone := len(stays) == 0 && whiteSpaceOnly(*following) != nil && bytes.ContainsRune(*following, '\n')
	if openComment(stays) && !startsLine(slices.Concat(*following, []byte(`"`))) {
		stays = before[:bytes.LastIndexByte(before, '\n')+1]
	}
	last := &hujson.Value{}
	if len(kept) > 0 {
		last = &kept[len(kept)-1].Value
	}
	switch trailing := gone.Value.AfterExtra != nil; {
	case more:
	case trailing: // the member before gets the trailing comma
		last.AfterExtra = append(hujson.Extra{}, last.AfterExtra...)
	case len(kept) > 0:
		stays = slices.Concat(last.AfterExtra, stays)
		last.AfterExtra = nil
	case alone:
		*following = nil
	}
	*following = slices.Concat(stays, *following)
}

// keptBefore returns a gap without the line break and the indentation at its end.
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

// startsLine reports whether text, which does not end with white space, may follow a line
// comment.
func startsLine(text []byte) bool {
	rest := bytes.TrimLeft(text, " \t\r")
	return rest[0] == '\n' || bytes.HasPrefix(rest, []byte("//"))
}
