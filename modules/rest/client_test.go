package rest_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"mcp-aggregator/testutil/restclient"
)

// A client that was made from the document alone does everything.
func TestAGeneratedClientSpeaksWithTheAPI(t *testing.T) {
	transport := &http.Transport{DisableKeepAlives: true}
	client, err := restclient.NewClientWithResponses(newMemory().start(t), restclient.WithHTTPClient(&http.Client{Transport: transport}))
	if err != nil {
		t.Fatal(err)
	}
	made, err := client.RegisterServerWithResponse(t.Context(), restclient.Draft{
		Name: "new", TransportType: restclient.DraftTransportTypeSTDIO,
		ConnectionConfig: restclient.Connection{Command: new("cat"), Env: &map[string]string{"A": "secret"}},
	})
	if err != nil || made.JSON201 == nil || (*made.JSON201.ConnectionConfig.Env)["A"] != "[redacted]" {
		t.Fatalf("%v: %s", err, made.Body)
	}
	id := made.JSON201.ID.String()
	changed, err := client.ChangeServerWithResponse(t.Context(), id, restclient.Change{Name: new("github")})
	if err != nil || changed.ApplicationProblemJSON409 == nil || changed.ApplicationProblemJSON409.Code != "name_taken" {
		t.Fatalf("%v: %s", err, changed.Body)
	}
	status := []restclient.ListServersParamsStatus{"CONNECTING", "ERROR"}
	listed, err := client.ListServersWithResponse(t.Context(), &restclient.ListServersParams{Status: &status})
	if err != nil || listed.JSON200 == nil || listed.JSON200.Total != 2 {
		t.Fatalf("%v: %s", err, listed.Body)
	}
	tool, err := client.GetToolWithResponse(t.Context(), "github.a/b c")
	if err != nil || tool.JSON200 == nil || tool.JSON200.Server != "github" {
		t.Fatalf("%v: %s", err, tool.Body)
	}
	called, err := client.CallToolWithResponse(t.Context(), restclient.Call{Name: "github.search", Arguments: &map[string]any{"q": "x"}})
	if err != nil || called.JSON200 == nil {
		t.Fatalf("%v: %s", err, called.Body)
	}
	said, err := called.JSON200.AggregatorMetadata.AsMetadata()
	if err != nil || said.RoutedTo != "github" {
		t.Errorf("%v: %s", err, called.Body)
	}
	if own, err := json.Marshal(called.JSON200.Metadata); err != nil || string(own) != "7" {
		t.Errorf("the result's own metadata is %s, %v", own, err)
	}
	removed, err := client.RemoveServerWithResponse(t.Context(), id)
	if err != nil || removed.StatusCode() != http.StatusNoContent {
		t.Fatalf("%v: %s", err, removed.Body)
	}
}
