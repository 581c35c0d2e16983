package rest

import (
	"cmp"
	"slices"
	"strings"

	"mcp-aggregator/modules/servers"
)

// all returns what is wrong with a body in its order: what shape found, and of
// the problems those of members that it has nothing against.
func (s *shape) all(problems servers.Problems) []faultBody {
	all := slices.Clone(s.faults)
	for _, fault := range faultsOf(problems) {
		i := slices.IndexFunc(all, func(f faultBody) bool { return *f.Pointer == *fault.Pointer && f.Detail == missing })
		switch {
		case i >= 0:
			all[i] = fault // says more
		case !s.blames(*fault.Pointer):
			all = append(all, fault)
		}
	}
	slices.SortStableFunc(all, func(a, b faultBody) int {
		return cmp.Compare(s.position(*a.Pointer), s.position(*b.Pointer))
	})
	return all
}

// blames reports whether there is a fault at the pointer or around it.
func (s *shape) blames(pointer string) bool {
	return slices.ContainsFunc(s.faults, func(f faultBody) bool {
		return pointer == *f.Pointer || strings.HasPrefix(pointer, *f.Pointer+"/") && !s.isObject(*f.Pointer)
	})
}

// isObject reports whether the value at the pointer is there and has members,
// whatever else is wrong with it.
func (s *shape) isObject(pointer string) bool {
	raw := s.places[pointer].Of(s.body)
	return raw != nil && typeOf(raw) == "object"
}

// position returns where in the body the value at the pointer begins; what is
// missing stands at the end of what it is missing in.
func (s *shape) position(pointer string) int {
	if at, found := s.places[pointer]; found {
		return at.Start
	}
	for {
		end := strings.LastIndexByte(pointer, '/')
		if end < 0 {
			return len(s.body)
		}
		pointer = pointer[:end]
		if at, found := s.places[pointer]; found {
			return at.End
		}
	}
}
