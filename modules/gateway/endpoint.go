package gateway

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"mcp-aggregator/modules/lean"
	"mcp-aggregator/modules/registry"
	"mcp-aggregator/modules/servers"
)

// The paths of the endpoints. Each profile has one below ProfilesPath.
const (
	Path         = "/mcp"
	SearchPath   = "/mcp/search"
	ProfilesPath = "/mcp/profiles/"
)

// Endpoint is what one path shows of the tools. The zero value shows all of them.
type Endpoint struct {
	Filter registry.Filter   // the tools that exist for its clients
	Lean   bool              // three tools are listed in place of all
	Pin    registry.Patterns // the tools that are listed beside the three
}

// Profiles has the endpoints below [ProfilesPath].
type Profiles interface {
	// Endpoint returns the endpoint of the profile with that name, if there is one. It
	// does not block.
	Endpoint(name string) (Endpoint, bool)
	// Subscribe returns a channel that receives after profiles have changed, until ctx
	// ends.
	Subscribe(ctx context.Context) <-chan struct{}
}

// Catalogues makes what lean sessions search.
type Catalogues interface {
	// Catalogue returns the tools that the client sees. It is called for each call, and
	// does not block.
	Catalogue(c CatalogueClient) lean.Catalogue
}

// CatalogueClient is the client that a catalogue is made for.
type CatalogueClient struct {
	Session   string // the id of its session
	Principal string // who calls: the name of the client, and the host where it is
	Snapshot  *registry.Snapshot
	View      *registry.View // of the snapshot
	// Unlisted reports whether a name that the view does not have may be one of a server
	// that is not connected.
	Unlisted func(name string) bool
}

// endpointAt returns the endpoint at a path.
func (g *Gateway) endpointAt(path string) (e Endpoint, ok bool) {
	if path == SearchPath {
		return Endpoint{Lean: true}, true
	}
	if name, below := strings.CutPrefix(path, ProfilesPath); below {
		return g.profiles.Endpoint(name)
	}
	return e, !strings.HasPrefix(path, Path+"/")
}

func (g *Gateway) hasEndpoint(path string) bool {
	_, ok := g.endpointAt(path)
	return ok
}

// noEndpoint answers a request to a path without an endpoint.
func noEndpoint(w http.ResponseWriter, path string) {
	problem := fmt.Sprintf("%.100q is no endpoint: use %s, %s or %sNAME", path, Path, SearchPath, ProfilesPath)
	if name, below := strings.CutPrefix(path, ProfilesPath); below {
		problem = fmt.Sprintf("no profile is called %.100q: GET /api/v1/profiles lists them", name)
	}
	http.Error(w, problem, http.StatusNotFound)
}

// scope is what a session sees of the tools at one moment.
type scope struct {
	Endpoint

	session  *session
	naming   *registry.Naming
	snapshot *registry.Snapshot
	view     *registry.View
}

// namingAt returns how the session sees the tools at its endpoint.
func (s *session) namingAt(e *Endpoint) *registry.Naming {
	return s.naming.WithFilter(e.Filter)
}

// scopeOf returns what the session sees of the tools now.
func (g *Gateway) scopeOf(s *session, e Endpoint) *scope {
	c := &scope{Endpoint: e, session: s, naming: s.namingAt(&e), snapshot: g.tools.Snapshot()}
	c.view = c.snapshot.View(c.naming)
	return c
}

// shows reports whether clients may see the server: it has tools in the view, or the
// filter would select some.
func (c *scope) shows(s *servers.Server, tools int) bool {
	return tools > 0 || c.Filter.Selects(s.Name, s.Name+".")
}

// toolCounts returns how many tools of each server are in the view.
func (c *scope) toolCounts() map[string]int {
	counts := make(map[string]int)
	for _, e := range c.view.All() {
		counts[e.Server]++
	}
	return counts
}

// mayBeUnlisted reports whether a name may be that of a tool of a server that is not
// connected.
func (g *Gateway) mayBeUnlisted(naming *registry.Naming, name string) bool {
	for _, s := range g.servers.Servers() {
		if !s.Status.Live() && naming.MayOwn(s.Name, name) {
			return true
		}
	}
	return false
}
