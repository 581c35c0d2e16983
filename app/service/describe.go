package service

import (
	"mcp-aggregator/app/toolsearch"
	"mcp-aggregator/modules/gateway"
	"mcp-aggregator/modules/lean"
	"mcp-aggregator/modules/profiles"
	"mcp-aggregator/modules/servers"
	"mcp-aggregator/modules/sessions"
)

// describer implements [toolsearch.ServerDescriber] with the records, and with what the
// servers say of themselves.
type describer struct {
	records  *servers.ServerRegistry
	sessions *sessions.SessionManager
}

func (d describer) DescribeServer(name string) toolsearch.ServerInfo {
	server, err := d.records.Named(name)
	if err != nil {
		return toolsearch.ServerInfo{} // it was removed meanwhile
	}
	info := d.sessions.Info(server.ID)
	return toolsearch.ServerInfo{
		ID: server.ID, Description: server.Description, Title: info.Title, Instructions: info.Instructions,
	}
}

// descriptions is a [servers.Watcher]: when the description of a server changes, its tools
// are indexed again, and lean lists are announced.
type descriptions struct {
	follower *toolsearch.Follower
	gateway  *gateway.Gateway
	texts    map[string]string // by id
}

// watchDescriptions is called before the registry starts.
func watchDescriptions(records *servers.ServerRegistry, f *toolsearch.Follower, g *gateway.Gateway) {
	records.Watch(&descriptions{f, g, make(map[string]string)})
}

// Changed implements servers.Watcher.
func (d *descriptions) Changed(s servers.Server) {
	before, known := d.texts[s.ID]
	d.texts[s.ID] = s.Description
	if known && before != s.Description {
		d.follower.Redescribe(s.Name)
		d.gateway.DescriptionsChanged()
	}
}

// Removed implements servers.Watcher.
func (d *descriptions) Removed(s servers.Server) { delete(d.texts, s.ID) }

// catalogues implements gateway.Catalogues.
type catalogues struct{ *toolsearch.Catalogues }

func (c catalogues) Catalogue(of gateway.CatalogueClient) lean.Catalogue {
	return c.For(toolsearch.Caller{Session: of.Session, Principal: of.Principal}, of.Snapshot, of.View, of.Unlisted)
}

// endpoints implements [gateway.Profiles] with the profiles.
type endpoints struct{ *profiles.ProfileRegistry }

func (e endpoints) Endpoint(name string) (gateway.Endpoint, bool) {
	p, ok := e.Profile(name)
	return gateway.Endpoint{Filter: p.Filter(), Lean: p.Mode == profiles.Lean, Pin: p.Pin}, ok
}
