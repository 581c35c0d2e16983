package clients

import (
	"bytes"
	"slices"

	"github.com/tailscale/hujson"

	"mcp-aggregator/config"
)

// without removes the members of an object of d that drop names, and leaves
// what people wrote around them. It is one pass, however many they are; d is
// not to be used any more.
func (d *document) without(object *hujson.Value, drop map[string]bool) ([]byte, error) {
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
	text = text[:len(text)-1] // the newline that parse has put there
	if _, err := parse(d.name, text); err != nil {
		return nil, &config.Error{
			Code: config.InvalidSchema, File: d.name,
			Message: "layout of the file is not understood; remove the entry by hand",
		}
	}
	return text, nil
}

// joinGaps makes one gap of those around a member that goes: following, which
// is in front of the next one, or of the object's end.
func joinGaps(kept []hujson.ObjectMember, gone hujson.ObjectMember, following *hujson.Extra, more bool) {
	before := gone.Name.BeforeExtra
	stays := keptBefore(before)
	alone := len(stays) == 0 && blank(*following) != nil && bytes.ContainsRune(*following, '\n')
	if openComment(stays) && !startsLine(slices.Concat(*following, []byte(`"`))) {
		stays = before[:bytes.LastIndexByte(before, '\n')+1]
	}
	last := &hujson.Value{}
	if len(kept) > 0 {
		last = &kept[len(kept)-1].Value
	}
	switch trailing := gone.Value.AfterExtra != nil; {
	case more:
	case trailing: // the one in front has its comma now
		last.AfterExtra = append(hujson.Extra{}, last.AfterExtra...)
	case len(kept) > 0:
		stays = slices.Concat(last.AfterExtra, stays)
		last.AfterExtra = nil
	case alone:
		*following = nil
	}
	*following = slices.Concat(stays, *following)
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

// startsLine reports whether text, which does not end blank, may stand behind a
// line comment.
func startsLine(text []byte) bool {
	rest := bytes.TrimLeft(text, " \t\r")
	return rest[0] == '\n' || bytes.HasPrefix(rest, []byte("//"))
}
