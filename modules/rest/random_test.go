package rest_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mcp-aggregator/modules/rest"
)

// texts are texts with a meaning somewhere.
var texts = []string{
	"", "a", "b", "github", "files", githubID, filesID, "STDIO", "SSE", "HTTP", "http://x/y", "https://x", "ftp://x", "${URL}", "[redacted]",
	"CONNECTED", "ERROR,DEGRADED", "true", "all", "1", "-1", "1e9", "\x00", "a\r\nb", "é☃", "../..", "//", "%", "/bin/cat",
	"github.search", "github.a/b c", "unknown", "ambiguous", "down", "connects", "refused", "lost", "late", "server", "given up",
}

func someText() *rapid.Generator[string] {
	return rapid.OneOf(rapid.SampledFrom(texts), rapid.SampledFrom(texts), rapid.String())
}

// someJSON returns any JSON value.
func someJSON() *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		switch rapid.IntRange(0, 6).Draw(t, "kind") {
		case 0:
			return nil
		case 1:
			return rapid.Bool().Draw(t, "boolean")
		case 2:
			return rapid.Int().Draw(t, "number")
		case 3:
			return []any{someText().Draw(t, "element")}
		case 4:
			return map[string]any{someText().Draw(t, "name"): 1}
		default:
			return someText().Draw(t, "text")
		}
	})
}

// draw returns a value of the schema or, sometimes, if wrong is set, another one.
func (c *contract) draw(t *rapid.T, schema map[string]any, wrong bool) any {
	if ref, has := schema["$ref"].(string); has {
		return c.draw(t, c.components[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any), wrong)
	}
	if wrong && rapid.IntRange(0, 9).Draw(t, "wrong") == 0 {
		return someJSON().Draw(t, "anything")
	}
	if enum, has := schema["enum"].([]any); has {
		return rapid.SampledFrom(enum).Draw(t, "enum")
	}
	switch schema["type"] {
	case "object":
		return c.drawObject(t, schema, wrong)
	case "array":
		return []any{c.draw(t, schema["items"].(map[string]any), wrong)}
	case "boolean":
		return rapid.Bool().Draw(t, "boolean")
	case "string":
		if pattern, has := schema["pattern"].(string); has {
			return rapid.StringMatching(strings.Replace(pattern, "+$", "{1,8}$", 1)).Draw(t, "matching")
		}
		return someText().Draw(t, "text")
	default:
		return someJSON().Draw(t, "anything")
	}
}

func (c *contract) drawObject(t *rapid.T, schema map[string]any, wrong bool) map[string]any {
	object := map[string]any{}
	properties, _ := schema["properties"].(map[string]any)
	required, _ := schema["required"].([]any)
	names := make([]string, 0, len(properties))
	for name := range properties {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if slices.Contains(required, any(name)) && !wrong || rapid.Bool().Draw(t, "has "+name) {
			object[name] = c.draw(t, properties[name].(map[string]any), wrong)
		}
	}
	if others, has := schema["additionalProperties"].(map[string]any); has {
		object[someText().Draw(t, "name")] = c.draw(t, others, wrong)
	}
	if wrong && rapid.IntRange(0, 5).Draw(t, "more") == 0 {
		object[someText().Draw(t, "name")] = someJSON().Draw(t, "member")
	}
	return object
}

// goodBodies are valid bodies of the operations.
var goodBodies = []string{goodDraft, strings.Replace(goodDraft, `"a"`, `"github"`, 1), goodCall, goodProfile, `{"name":"z"}`, `{"name":"files"}`, `{}`}

// calls returns a call for each failure.
func calls() (bodies []string) {
	for _, name := range slices.Sorted(maps.Keys(failures)) {
		bodies = append(bodies, `{"name":"`+name+`"}`)
	}
	return bodies
}

// drawBody returns a body that is valid, nearly valid, or garbage.
func (c *contract) drawBody(t *rapid.T, schema map[string]any) string {
	kind := rapid.SampledFrom([]string{"as the schema says", "nearly", "good", "good", "damaged", "garbage"}).Draw(t, "body")
	if kind == "garbage" {
		return string(rapid.SliceOf(rapid.Byte()).Draw(t, "garbage"))
	}
	if kind == "good" {
		return rapid.SampledFrom(slices.Concat(goodBodies, goodBodies, calls())).Draw(t, "good")
	}
	body, err := json.Marshal(c.draw(t, schema, kind == "nearly"))
	if err != nil {
		t.Fatal(err)
	}
	if kind == "damaged" {
		i := rapid.IntRange(0, len(body)-1).Draw(t, "at")
		body[i] = rapid.Byte().Draw(t, "byte")
	}
	return string(body)
}

// drawRequest returns a request for an operation.
func (c *contract) drawRequest(t *rapid.T, op operation) *http.Request {
	path, query := op.path, url.Values{}
	for _, value := range op.parameters {
		name := at(value, "name").(string)
		if at(value, "in") == "path" {
			// A part of a path that is empty, or dots, is another path.
			known := rapid.SampledFrom([]string{githubID, filesID, "github.search", "readers", "a"})
			text := rapid.OneOf(known, someText()).Filter(func(s string) bool { return s != "" && s != "." && s != ".." }).Draw(t, name)
			path = strings.Replace(path, "{"+name+"}", url.PathEscape(text), 1)
			continue
		}
		for range rapid.IntRange(0, 2).Draw(t, "times "+name) {
			query.Add(name, someText().Draw(t, name))
		}
	}
	address := "http://localhost" + path
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	if rapid.IntRange(0, 9).Draw(t, "bad query") == 0 {
		address += rapid.SampledFrom([]string{"?%zz", "?a;b", "?=&&", "?status=%"}).Draw(t, "query")
	}
	body := ""
	if op.body != nil {
		body = c.drawBody(t, op.body)
	}
	request, err := http.NewRequestWithContext(t.Context(), op.method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	if rapid.IntRange(0, 9).Draw(t, "odd type") == 0 {
		kinds := []string{"application/json; charset=UTF-8", "text/plain", "", "application/json;;"}
		request.Header.Set("Content-Type", rapid.SampledFrom(kinds).Draw(t, "type"))
	}
	request.Header.Set("Accept", rapid.SampledFrom([]string{"*/*", "application/cbor", "text/html"}).Draw(t, "accept"))
	return request
}

// Requests generated from the document are answered as it says, and none causes an
// internal error.
func TestAnyRequestIsAnsweredAsTheDocumentSays(t *testing.T) {
	c := readContract(t, newFakes().start(t))
	slices.SortFunc(c.operations, func(a, b operation) int { return strings.Compare(a.path+a.method, b.path+b.method) })
	seen := map[int]int{}
	rapid.Check(t, func(t *rapid.T) {
		api := rest.Guard("localhost:1", newMemory().api())
		for range 20 {
			op := c.operations[rapid.IntRange(0, len(c.operations)-1).Draw(t, "operation")]
			request := c.drawRequest(t, op)
			answer := httptest.NewRecorder()
			api.ServeHTTP(answer, request)
			seen[answer.Code]++
			if answer.Code == http.StatusInternalServerError {
				t.Fatalf("%s %s: %s", request.Method, request.URL, answer.Body)
			}
			if breach := c.breach(t, op, answer.Code, answer.Header(), answer.Body.String()); breach != "" {
				t.Fatalf("%s %s: %d %s: %s", request.Method, request.URL, answer.Code, breach, answer.Body)
			}
		}
	})
	for _, status := range []int{200, 400, 404, 415, 422} {
		if seen[status] == 0 {
			t.Errorf("no request was answered with %d: %v", status, seen)
		}
	}
}
