package restclient_test

import (
	"encoding/json"
	"net/http"
	"os"
	"slices"
	"testing"
	"time"

	"mcp-aggregator/testutil/restclient"
)

// caller makes requests of a service, which must be answered as wanted.
type caller struct {
	*restclient.ClientWithResponses

	t  *testing.T
	id string // of the registered server
}

// response is what every response of the client has.
type response interface {
	StatusCode() int
	GetBody() []byte
}

func (c *caller) want(status int, r response, err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
	if r.StatusCode() != status {
		c.t.Fatalf("%d, want %d: %s", r.StatusCode(), status, r.GetBody())
	}
}

// await waits until the server has that status.
func (c *caller) await(status restclient.ServerStatus) {
	c.t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		r, err := c.GetServerWithResponse(c.t.Context(), c.id)
		c.want(http.StatusOK, r, err)
		if r.JSON200.Status == status {
			return
		}
		if time.Now().After(deadline) {
			c.t.Fatalf("it is not %s: %s", status, r.Body)
		}
	}
}

// A client that was made from the document alone does everything that the service can.
func TestAGeneratedClientSpeaksWithTheService(t *testing.T) {
	client, err := restclient.NewClientWithResponses(startService(t))
	if err != nil {
		t.Fatal(err)
	}
	c := &caller{ClientWithResponses: client, t: t}
	for _, step := range []struct {
		what string
		then func(*caller)
	}{
		{"it is well and ready", (*caller).isReady},
		{"a server is registered, and its secrets are not shown", (*caller).registers},
		{"a name that is taken is a problem", (*caller).isRefused},
		{"servers are listed by status", (*caller).listsServers},
		{"tools are listed and found, whatever their names", (*caller).listsTools},
		{"a tool is called, and its result is all there", (*caller).calls},
		{"a profile is kept", (*caller).keepsProfiles},
		{"a server is disconnected and connected again", (*caller).reconnects},
		{"a server is removed", (*caller).removes},
	} {
		if !t.Run(step.what, func(t *testing.T) {
			c.t = t
			step.then(c)
		}) {
			return
		}
	}
}

func (c *caller) isReady() {
	health, err := c.GetHealthWithResponse(c.t.Context())
	c.want(http.StatusOK, health, err)
	ready, err := c.GetReadinessWithResponse(c.t.Context())
	c.want(http.StatusOK, ready, err)
}

// draft is this program, as a server of that name.
func (c *caller) draft(name string) restclient.Draft {
	c.t.Helper()
	program, err := os.Executable()
	if err != nil {
		c.t.Fatal(err)
	}
	return restclient.Draft{
		Name: name, TransportType: restclient.DraftTransportTypeSTDIO,
		ConnectionConfig: restclient.Connection{Command: &program, Env: &map[string]string{asServer: "secret"}},
	}
}

func (c *caller) registers() {
	r, err := c.RegisterServerWithResponse(c.t.Context(), c.draft("fake"))
	c.want(http.StatusCreated, r, err)
	if got := (*r.JSON201.ConnectionConfig.Env)[asServer]; got != "[redacted]" {
		c.t.Errorf("the value is shown as %q", got)
	}
	c.id = r.JSON201.ID.String()
	c.await("CONNECTED")
	changed, err := c.ChangeServerWithResponse(c.t.Context(), c.id, restclient.Change{Description: new("changed")})
	c.want(http.StatusOK, changed, err)
	if got := changed.JSON200.Description; got != "changed" {
		c.t.Errorf("the description is %q", got)
	}
}

func (c *caller) isRefused() {
	r, err := c.RegisterServerWithResponse(c.t.Context(), c.draft("fake"))
	c.want(http.StatusConflict, r, err)
	if got := r.ApplicationProblemJSON409; got == nil || got.Code != "name_taken" {
		c.t.Errorf("the problem is %+v", got)
	}
}

func (c *caller) listsServers() {
	for total, status := range [][]restclient.ListServersParamsStatus{{"ERROR", "DISCONNECTED"}, {"CONNECTED", "ERROR"}} {
		r, err := c.ListServersWithResponse(c.t.Context(), &restclient.ListServersParams{Status: &status})
		c.want(http.StatusOK, r, err)
		if r.JSON200.Total != int64(total) {
			c.t.Errorf("%v: %d, want %d", status, r.JSON200.Total, total)
		}
	}
}

func (c *caller) listsTools() {
	all, err := c.ListToolsWithResponse(c.t.Context(), nil)
	c.want(http.StatusOK, all, err)
	if all.JSON200.Total != 1 || all.JSON200.Servers[0].Tools[0].Name != "fake.a/b c" {
		c.t.Errorf("the tools are %s", all.Body)
	}
	one, err := c.GetToolWithResponse(c.t.Context(), "fake.a/b c")
	c.want(http.StatusOK, one, err)
	if one.JSON200.Server != "fake" || one.JSON200.OriginalName != "a/b c" {
		c.t.Errorf("the tool is %s", one.Body)
	}
}

func (c *caller) calls() {
	r, err := c.CallToolWithResponse(c.t.Context(), restclient.Call{Name: "fake.a/b c", Arguments: &map[string]any{"q": "x"}})
	c.want(http.StatusOK, r, err)
	if said, err := r.JSON200.AggregatorMetadata.AsMetadata(); err != nil || said.RoutedTo != "fake" {
		c.t.Errorf("%v: %s", err, r.Body)
	}
	if own, err := json.Marshal(r.JSON200.Metadata); err != nil || string(own) != "7" {
		c.t.Errorf("the result's own metadata is %s, %v", own, err)
	}
}

func (c *caller) keepsProfiles() {
	made, err := c.CreateProfileWithResponse(c.t.Context(), restclient.NewProfile{Name: "p", Servers: &[]string{"fake", "later"}, Deny: &[]string{"*.x"}})
	c.want(http.StatusCreated, made, err)
	if p := made.JSON201; p.Mode != "full" || !slices.Equal(p.UnknownServers, []string{"later"}) {
		c.t.Errorf("the profile is %s", made.Body)
	}
	again, err := c.CreateProfileWithResponse(c.t.Context(), restclient.NewProfile{Name: "p"})
	c.want(http.StatusConflict, again, err)
	changed, err := c.ChangeProfileWithResponse(c.t.Context(), "p", restclient.ProfileChange{Mode: new(restclient.ProfileChangeMode("lean")), Servers: &[]string{}})
	c.want(http.StatusOK, changed, err)
	if p := changed.JSON200; p.Mode != "lean" || len(p.Servers) > 0 || !slices.Equal(p.Deny, []string{"*.x"}) {
		c.t.Errorf("the profile is %s", changed.Body)
	}
	all, err := c.ListProfilesWithResponse(c.t.Context())
	c.want(http.StatusOK, all, err)
	removed, err := c.RemoveProfileWithResponse(c.t.Context(), "p")
	c.want(http.StatusNoContent, removed, err)
	gone, err := c.GetProfileWithResponse(c.t.Context(), "p")
	c.want(http.StatusNotFound, gone, err)
	if all.JSON200.Total != 1 || gone.ApplicationProblemJSON404.Code != "unknown_profile" {
		c.t.Errorf("the profiles were %s, and then %s", all.Body, gone.Body)
	}
}

func (c *caller) reconnects() {
	gone, err := c.DisconnectServerWithResponse(c.t.Context(), c.id)
	c.want(http.StatusOK, gone, err)
	if gone.JSON200.Status != restclient.DisconnectedStatusDISCONNECTED {
		c.t.Errorf("disconnected: %s", gone.Body)
	}
	again, err := c.ConnectServerWithResponse(c.t.Context(), c.id)
	c.want(http.StatusOK, again, err)
	c.await("CONNECTED")
	history, err := c.GetHistoryWithResponse(c.t.Context(), c.id, nil)
	c.want(http.StatusOK, history, err)
	if events := history.JSON200.Events; !slices.ContainsFunc(events, func(e restclient.Event) bool { return e.Event == "DISCONNECTED" }) {
		c.t.Errorf("the history is %s", history.Body)
	}
}

func (c *caller) removes() {
	removed, err := c.RemoveServerWithResponse(c.t.Context(), c.id)
	c.want(http.StatusNoContent, removed, err)
	gone, err := c.GetServerWithResponse(c.t.Context(), c.id)
	c.want(http.StatusNotFound, gone, err)
}
