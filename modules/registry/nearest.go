package registry

import (
	"cmp"
	"iter"
	"slices"
	"strings"
)

// NamedTool is a tool as a caller knows it: Name is its public name.
type NamedTool struct{ Name, OriginalName string }

const (
	maxNearest  = 3   // suggestions
	maxCompared = 128 // bytes of a name that gets suggestions: the cost grows with its square
)

// Nearest returns the public names of at most three tools whose names are nearly written
// like name, the most similar first. A name that lacks the server's key, or has another
// separator, is similar, too.
func Nearest(name string, tools iter.Seq[NamedTool]) []string {
	type match struct {
		name     string
		distance int
	}
	if name == "" || len(name) > maxCompared {
		return nil
	}
	var found []match
	var d editDistances
	limit := min((len(name)+2)/4, maxDistance)
	for tool := range tools {
		distance := min(d.distance(name, tool.Name, limit), d.distance(name, tool.OriginalName, limit))
		if distance > limit && hasSuffixName(name, tool.OriginalName) {
			distance = limit // the right tool of another server
		}
		if distance > limit {
			continue
		}
		at, _ := slices.BinarySearchFunc(found, distance+1, func(m match, d int) int { return cmp.Compare(m.distance, d) })
		found = slices.Insert(found, at, match{tool.Name, distance})
		if len(found) > maxNearest {
			found = found[:maxNearest]
			limit = found[maxNearest-1].distance
		}
	}
	var names []string
	for _, m := range found {
		names = append(names, m.name)
	}
	return names
}

// hasSuffixName reports whether name is original after a separator. Very short names are
// in too many others.
func hasSuffixName(name, original string) bool {
	prefix, ok := strings.CutSuffix(name, original)
	return ok && len(original) > 3 && prefix != "" && strings.ContainsRune(".:/_-", rune(prefix[len(prefix)-1]))
}

// UnknownNameHint returns the end of the error message for an unknown name; noServer
// means that no server could own it.
func UnknownNameHint(nearest []string, noServer bool) string {
	switch {
	case len(nearest) > 0:
		return "; nearest: " + strings.Join(nearest, ", ")
	case noServer:
		return "; there is no such server"
	default:
		return ""
	}
}

// maxDistance is the largest edit distance of a suggestion.
const maxDistance = 4

// editDistances computes edit distances without allocating.
type editDistances struct{ rows [3][maxCompared + 1]int }

// distance returns the edit distance between two names, or limit+1 if it is larger; a has
// at most maxCompared bytes. Swapping two adjacent letters is one edit. It computes only
// cells that can be within the limit: at most 2*limit+1 for each byte of b.
func (d *editDistances) distance(a, b string, limit int) int {
	if max(len(a)-len(b), len(b)-len(a)) > limit {
		return limit + 1
	}
	a, b = trimCommon(a, b)
	above2, above, row := d.rows[0][:], d.rows[1][:], d.rows[2][:]
	for i := range len(a) + 1 {
		above[i] = i
	}
	leastAbove := 0
	for j := range len(b) {
		c := foldByte(b[j])
		first, last := max(0, j-limit), min(len(a), j+1+limit)
		row[first] = above[first] + 1
		least := row[first]
		for i := first; i < last; i++ {
			row[i+1] = above[i]
			if foldByte(a[i]) != c {
				row[i+1] = 1 + min(above[i], row[i], cellWithin(above, i+1, j+limit, limit))
			}
			if i > 0 && j > 0 && foldByte(a[i]) == foldByte(b[j-1]) && foldByte(a[i-1]) == c {
				row[i+1] = min(row[i+1], above2[i-1]+1)
			}
			least = min(least, row[i+1])
		}
		if min(least, leastAbove) > limit {
			return limit + 1
		}
		above2, above, row, leastAbove = above, row, above2, least
	}
	return min(above[len(a)], limit+1)
}

// trimCommon returns a and b without their common prefix and suffix.
func trimCommon(a, b string) (restOfA, restOfB string) {
	for a != "" && b != "" && foldByte(a[0]) == foldByte(b[0]) {
		a, b = a[1:], b[1:]
	}
	for a != "" && b != "" && foldByte(a[len(a)-1]) == foldByte(b[len(b)-1]) {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return a, b
}

// cellWithin returns row[i], or limit+1 if the row was not computed beyond last.
func cellWithin(row []int, i, last, limit int) int {
	if i > last {
		return limit + 1
	}
	return row[i]
}

// foldByte maps characters that are easily confused to one: all separators, and a
// letter's upper and lower case.
func foldByte(c byte) byte {
	switch c {
	case '.', ':', '/', '-', ' ':
		return '_'
	}
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
