package registry

import (
	"cmp"
	"iter"
	"slices"
	"strings"
)

// NamedTool is a tool by the name that a caller knows and by its server's own for it.
type NamedTool struct{ Name, OriginalName string }

// maxNearest is how many names are suggested, and maxCompared how long, in bytes, one
// may be that anything is suggested for: the cost grows with its square.
const (
	maxNearest  = 3
	maxCompared = 128
)

// Nearest returns the names of the tools that are written almost like name, the most
// similar first. A name without its server, or with another separator, is similar.
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

// UnknownNameHint is what the error of an unknown name ends with.
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

// maxDistance is how many letters a similar name may differ in.
const maxDistance = 4

// editDistances computes edit distances in memory of its own.
type editDistances struct{ rows [3][maxCompared + 1]int }

// distance returns the edit distance of two names, the first of at most maxCompared
// bytes, or limit+1 if it is larger; two letters in the wrong order are one edit. Only
// cells that can be within the limit are visited: at most 2*limit+1 for each byte of b.
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

// trimCommon returns two names without what they begin and end with alike.
func trimCommon(a, b string) (restOfA, restOfB string) {
	for a != "" && b != "" && foldByte(a[0]) == foldByte(b[0]) {
		a, b = a[1:], b[1:]
	}
	for a != "" && b != "" && foldByte(a[len(a)-1]) == foldByte(b[len(b)-1]) {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return a, b
}

// cellWithin returns a cell of a row that was visited up to last.
func cellWithin(row []int, i, last, limit int) int {
	if i > last {
		return limit + 1
	}
	return row[i]
}

// foldByte makes one character of those that are mistaken for each other: of the separators,
// and of a letter in both cases.
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
