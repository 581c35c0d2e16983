package profiles

import (
	"slices"
	"time"

	"mcp-aggregator/modules/registry"
)

// Mode is how the tools of a profile are listed.
type Mode string

// The modes: Full lists all tools of the profile, Lean the three tools that find and call
// them, and those that are pinned.
const (
	Full Mode = "full"
	Lean Mode = "lean"
)

// Profile is a named view of the tools. Its lists may be shared: they are never modified.
type Profile struct {
	Name        string // matches [A-Za-z0-9_-]+; unique
	Description string
	// Servers are the names of the servers whose tools it shows; all servers if empty. They
	// need not be registered.
	Servers []string
	// Allow, Deny and Pin are globs over canonical names, as in [registry.Patterns]. A tool
	// is shown if it matches one of Allow, or that is empty, and none of Deny.
	Allow, Deny []string
	// Pin selects among the tools that are shown those that Lean lists.
	Pin  []string
	Mode Mode

	CreatedAt time.Time
	UpdatedAt time.Time
}

// Filter returns the filter that selects the tools of the profile.
func (p Profile) Filter() registry.Filter {
	return registry.Filter{Servers: p.Servers, Allow: p.Allow, Deny: p.Deny}
}

// UnknownServers returns those of Servers that are not known.
func (p Profile) UnknownServers(known func(name string) bool) (unknown []string) {
	for _, name := range p.Servers {
		if !known(name) {
			unknown = append(unknown, name)
		}
	}
	return unknown
}

// Equal reports whether both profiles are the same but for their times. It treats empty
// lists as absent: stores do not distinguish them.
func (p Profile) Equal(other Profile) bool {
	return p.Name == other.Name && p.Description == other.Description && p.Mode == other.Mode &&
		slices.Equal(p.Servers, other.Servers) && slices.Equal(p.Allow, other.Allow) &&
		slices.Equal(p.Deny, other.Deny) && slices.Equal(p.Pin, other.Pin)
}

// Change describes a change of a profile. Fields that are nil stay as they are.
type Change struct {
	Description *string
	Servers     *[]string
	Allow       *[]string
	Deny        *[]string
	Pin         *[]string
	Mode        *Mode
}

// Apply returns p with the change.
func (c Change) Apply(p Profile) Profile {
	setIfGiven(&p.Description, c.Description)
	setIfGiven(&p.Servers, c.Servers)
	setIfGiven(&p.Allow, c.Allow)
	setIfGiven(&p.Deny, c.Deny)
	setIfGiven(&p.Pin, c.Pin)
	setIfGiven(&p.Mode, c.Mode)
	return p
}

func setIfGiven[T any](field *T, value *T) {
	if value != nil {
		*field = *value
	}
}
