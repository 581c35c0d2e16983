package rest

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"mcp-aggregator/modules/profiles"
	"mcp-aggregator/modules/servers"
)

// Profiles holds named views of the tools. Its methods return [profiles.ErrUnknown],
// [profiles.ErrNameTaken], [profiles.ErrTooMany] and [servers.Problems].
type Profiles interface {
	// Profiles returns all profiles, ordered by name.
	Profiles() []profiles.Profile
	Profile(name string) (profiles.Profile, bool)
	Create(ctx context.Context, p profiles.Profile) (profiles.Profile, error)
	Change(ctx context.Context, name string, c profiles.Change) (profiles.Profile, error)
	Remove(ctx context.Context, name string) error
}

const profilesPath = prefix + "/profiles"

// newProfileBody is a profile to create.
type newProfileBody struct {
	Name        string   `json:"name" pattern:"^[A-Za-z0-9_-]+$" minLength:"1" maxLength:"64" doc:"Unique. MCP clients are served the profile at /mcp/profiles/{name}." example:"support"`
	Description string   `json:"description,omitempty" maxLength:"4096" doc:"For users." example:"What support needs of the issue tracker"`
	Servers     []string `json:"servers,omitempty" nullable:"false" maxItems:"1000" doc:"The names of the servers whose tools it shows; all servers if there are none. A server need not be registered yet." example:"[\"github\"]"`
	Allow       []string `json:"allow,omitempty" nullable:"false" maxItems:"1000" doc:"Patterns of the tools that it shows; all tools if there are none. A pattern is for server.tool, as a whole: * is any text, ? any character, [a-z] one of those. There may be 1,000 of allow, deny and pin together." example:"[\"github.*_issue*\"]"`
	Deny        []string `json:"deny,omitempty" nullable:"false" maxItems:"1000" doc:"Patterns of tools that it does not show, though they be allowed." example:"[\"*.delete_*\"]"`
	Pin         []string `json:"pin,omitempty" nullable:"false" maxItems:"1000" doc:"Patterns of the tools that mode lean lists, of those that the profile shows." example:"[\"github.get_issue\"]"`
	Mode        string   `json:"mode,omitempty" enum:"full,lean" default:"full" doc:"full lists all tools of the profile; lean lists three tools, which find and call them, and those that are pinned." example:"lean"`
}

// profileChangeBody is a change of a profile. Members that are left out stay as they are.
type profileChangeBody struct {
	Description *string   `json:"description,omitempty" maxLength:"4096" doc:"For users." example:"What support needs of the issue tracker"`
	Servers     *[]string `json:"servers,omitempty" nullable:"false" maxItems:"1000" doc:"Replaces the list as a whole, as do the others; [] is all servers." example:"[\"github\"]"`
	Allow       *[]string `json:"allow,omitempty" nullable:"false" maxItems:"1000" doc:"Patterns of the tools that it shows; [] is all tools." example:"[\"github.*_issue*\"]"`
	Deny        *[]string `json:"deny,omitempty" nullable:"false" maxItems:"1000" doc:"Patterns of tools that it does not show, though they be allowed." example:"[\"*.delete_*\"]"`
	Pin         *[]string `json:"pin,omitempty" nullable:"false" maxItems:"1000" doc:"Patterns of the tools that mode lean lists, of those that the profile shows." example:"[\"github.get_issue\"]"`
	Mode        *string   `json:"mode,omitempty" enum:"full,lean" doc:"full or lean." example:"full"`
}

// profileBody is a profile as it is shown.
type profileBody struct {
	Name           string    `json:"name" doc:"MCP clients are served the profile at /mcp/profiles/{name}." example:"support"`
	Description    string    `json:"description" example:"What support needs of the issue tracker"`
	Servers        []string  `json:"servers" nullable:"false" doc:"Empty for all servers." example:"[\"github\"]"`
	UnknownServers []string  `json:"unknown_servers" nullable:"false" doc:"Those of servers that are not registered." example:"[]"`
	Allow          []string  `json:"allow" nullable:"false" doc:"Empty for all tools." example:"[\"github.*_issue*\"]"`
	Deny           []string  `json:"deny" nullable:"false" example:"[\"*.delete_*\"]"`
	Pin            []string  `json:"pin" nullable:"false" example:"[\"github.get_issue\"]"`
	Mode           string    `json:"mode" enum:"full,lean" example:"lean"`
	CreatedAt      time.Time `json:"created_at" doc:"UTC." example:"2026-01-31T08:30:00Z"`
	UpdatedAt      time.Time `json:"updated_at" doc:"When anything of this was changed, UTC." example:"2026-01-31T08:30:02Z"`
}

// profilesBody is a list of profiles.
type profilesBody struct {
	Profiles []profileBody `json:"profiles" nullable:"false" doc:"Ordered by name."`
	Total    int           `json:"total" doc:"How many they are." example:"1"`
}

func (a *API) profileEndpoints() []endpoint {
	const one = profilesPath + "/{name}"
	name := pathParam("name", "The name of the profile.", &huma.Schema{Type: "string"}, "support")
	return []endpoint{
		{
			method: http.MethodPost, path: profilesPath, id: "createProfile", summary: "Add a profile",
			description: "A named view of the tools for MCP clients. Everything that is wrong with the body is listed at once. " +
				"A name of servers that no server has is no error: unknown_servers has it.",
			body: newProfileBody{}, bodyExample: profileExample(), status: http.StatusCreated, result: profileBody{},
			codes: append([]code{nameTaken, tooManyProfiles}, bodyCodes...), handle: a.createProfile,
		},
		{
			method: http.MethodGet, path: profilesPath, id: "listProfiles", summary: "List the profiles",
			status: http.StatusOK, result: profilesBody{}, handle: a.listProfiles,
		},
		{
			method: http.MethodGet, path: one, id: "getProfile", summary: "Show a profile",
			params: []*huma.Param{name}, status: http.StatusOK, result: profileBody{},
			codes: []code{unknownProfile}, handle: a.getProfile,
		},
		{
			method: http.MethodPatch, path: one, id: "changeProfile", summary: "Change a profile",
			description: "What is left out stays; a list is replaced as a whole. The name stays, since it is part of the address that clients use. " +
				"Clients with an open session see the change at once.",
			params: []*huma.Param{name}, body: profileChangeBody{}, bodyExample: map[string]any{"mode": "full", "deny": []string{}},
			status: http.StatusOK, result: profileBody{},
			codes: append([]code{unknownProfile}, bodyCodes...), handle: a.changeProfile,
		},
		{
			method: http.MethodDelete, path: one, id: "removeProfile", summary: "Remove a profile",
			params: []*huma.Param{name}, status: http.StatusNoContent,
			codes: []code{unknownProfile}, handle: a.removeProfile,
		},
	}
}

func profileExample() any {
	return map[string]any{
		"name": "support", "description": "What support needs of the issue tracker", "servers": []string{"github"},
		"allow": []string{"github.*_issue*"}, "deny": []string{"*.delete_*"}, "pin": []string{"github.get_issue"}, "mode": "lean",
	}
}

func (a *API) createProfile(r *request) (reply, error) {
	p, _, err := readProfile(r, profiles.Profile{Mode: profiles.Full})
	if err != nil {
		return reply{}, err
	}
	if p, err = a.deps.Profiles.Create(r.Context(), p); err != nil {
		return reply{}, err
	}
	made := okReply(profileView(p, a.knownServers()))
	made.status, made.location = http.StatusCreated, profilesPath+"/"+url.PathEscape(p.Name)
	return made, nil
}

func (a *API) listProfiles(*request) (reply, error) {
	view, known := profilesBody{Profiles: []profileBody{}}, a.knownServers()
	for _, p := range a.deps.Profiles.Profiles() {
		view.Profiles = append(view.Profiles, profileView(p, known))
	}
	view.Total = len(view.Profiles)
	return okReply(view), nil
}

func (a *API) getProfile(r *request) (reply, error) {
	p, found := a.deps.Profiles.Profile(r.PathValue("name"))
	if !found {
		return reply{}, profiles.ErrUnknown
	}
	return okReply(profileView(p, a.knownServers())), nil
}

func (a *API) changeProfile(r *request) (reply, error) {
	current, found := a.deps.Profiles.Profile(r.PathValue("name"))
	if !found {
		return reply{}, profiles.ErrUnknown
	}
	_, change, err := readProfile(r, current)
	if err != nil {
		return reply{}, err
	}
	p, err := a.deps.Profiles.Change(r.Context(), current.Name, change)
	if err != nil {
		return reply{}, err
	}
	return okReply(profileView(p, a.knownServers())), nil
}

func (a *API) removeProfile(r *request) (reply, error) {
	if err := a.deps.Profiles.Remove(r.Context(), r.PathValue("name")); err != nil {
		return reply{}, err
	}
	return reply{status: http.StatusNoContent}, nil
}

// readProfile reads the body of a request: a change, and what base becomes by it. The
// error lists everything that is wrong with the body.
func readProfile(r *request, base profiles.Profile) (p profiles.Profile, change profiles.Change, err error) {
	body, err := readBody(r.Request, maxRecordBytes)
	if err != nil {
		return p, change, err
	}
	var in struct {
		Name *string `json:"name"` // of a new profile
		profileChangeBody
	}
	shape := checkShape(r.schemas, body, r.schema)
	var problems servers.Problems
	if decodeMembers(body, &in) {
		base.Name = valueOr(in.Name, base.Name)
		change = in.toChange()
		p = change.Apply(base)
		problems = p.Validate()
	}
	if faults := shape.mergeProblems(problems); len(faults) > 0 {
		return p, change, newInvalid(faults).asError()
	}
	return p, change, nil
}

func (c profileChangeBody) toChange() profiles.Change {
	change := profiles.Change{Description: c.Description, Servers: c.Servers, Allow: c.Allow, Deny: c.Deny, Pin: c.Pin}
	if c.Mode != nil {
		change.Mode = new(profiles.Mode(*c.Mode))
	}
	return change
}

// knownServers returns whether a server with a name is registered.
func (a *API) knownServers() func(name string) bool {
	names := map[string]bool{}
	for _, s := range a.deps.Servers.Servers() {
		names[s.Name] = true
	}
	return func(name string) bool { return names[name] }
}

func profileView(p profiles.Profile, known func(name string) bool) profileBody {
	list := func(texts []string) []string { return append([]string{}, texts...) } // [] for nil
	return profileBody{
		Name: p.Name, Description: p.Description,
		Servers: list(p.Servers), UnknownServers: list(p.UnknownServers(known)),
		Allow: list(p.Allow), Deny: list(p.Deny), Pin: list(p.Pin), Mode: string(p.Mode),
		CreatedAt: p.CreatedAt.UTC(), UpdatedAt: p.UpdatedAt.UTC(),
	}
}
