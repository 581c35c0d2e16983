package rest_test

import (
	"encoding/json"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

// operation is an operation of the document.
type operation struct {
	method, path string
	parameters   []any
	body         map[string]any // its schema; nil for no body
	responses    map[string]any
}

// contract is the parsed document.
type contract struct {
	operations []operation
	components map[string]any
	resolved   map[string]*jsonschema.Resolved
}

func readContract(tb testing.TB, address string) *contract {
	tb.Helper()
	text := send(tb, address, http.MethodGet, "/api/v1/openapi.json", "").body
	text = strings.ReplaceAll(text, "#/components/schemas/", "#/$defs/")
	c := &contract{components: get(tb, text, "components", "schemas").(map[string]any), resolved: map[string]*jsonschema.Resolved{}}
	for path, item := range get(tb, text, "paths").(map[string]any) {
		for method, value := range item.(map[string]any) {
			members := value.(map[string]any)
			op := operation{method: strings.ToUpper(method), path: path, responses: members["responses"].(map[string]any)}
			op.parameters, _ = members["parameters"].([]any)
			if body, has := members["requestBody"]; has {
				op.body = at(body, "content", "application/json", "schema").(map[string]any)
			}
			c.operations = append(c.operations, op)
		}
	}
	return c
}

// find returns the operation that a request is for, nil if the document has none.
func (c *contract) find(method, path string) *operation {
	path, _, _ = strings.Cut(path, "?")
	for i, op := range c.operations {
		if op.method == method && matches(op.path, path) {
			return &c.operations[i]
		}
	}
	return nil
}

// matches reports whether the path matches the template.
func matches(template, path string) bool {
	parts, given := strings.Split(template, "/"), strings.Split(path, "/")
	return len(parts) == len(given) && !slices.ContainsFunc(parts, func(part string) bool {
		i := slices.Index(parts, part)
		return part != given[i] && !strings.HasPrefix(part, "{")
	})
}

func at(value any, path ...string) any {
	for _, step := range path {
		value = value.(map[string]any)[step]
	}
	return value
}

// breach returns how a response differs from the document, or "".
func (c *contract) breach(t tester, op operation, status int, header http.Header, body string) string {
	declared, found := op.responses[strconv.Itoa(status)].(map[string]any)
	if !found {
		return "the status is not declared"
	}
	content, _ := declared["content"].(map[string]any)
	if content == nil {
		if body != "" {
			return "it has a body"
		}
		return ""
	}
	kind, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	media, found := content[kind].(map[string]any)
	if err != nil || !found {
		return "its type is " + header.Get("Content-Type")
	}
	var value any
	if err := json.Unmarshal([]byte(body), &value); err != nil {
		return err.Error()
	}
	if err := c.schema(t, media["schema"]).Validate(value); err != nil {
		return err.Error()
	}
	return ""
}

func (c *contract) schema(t tester, schema any) *jsonschema.Resolved {
	text, err := json.Marshal(map[string]any{"$defs": c.components, "allOf": []any{schema}})
	if err != nil {
		t.Fatal(err)
	}
	if known := c.resolved[string(text)]; known != nil {
		return known
	}
	var parsed jsonschema.Schema
	if err := json.Unmarshal(text, &parsed); err != nil {
		t.Fatal(err)
	}
	resolved, err := parsed.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	c.resolved[string(text)] = resolved
	return resolved
}

func TestExamplesAreAsTheirSchemasSay(t *testing.T) {
	address := newFakes().start(t)
	c := readContract(t, address)
	document := send(t, address, http.MethodGet, "/api/v1/openapi.json", "").body
	for _, op := range c.operations {
		if op.body != nil {
			example := get(t, document, "paths", op.path, strings.ToLower(op.method), "requestBody", "content", "application/json", "example")
			if err := c.schema(t, op.body).Validate(example); err != nil {
				t.Errorf("%s %s: %v", op.method, op.path, err)
			}
			text, err := json.Marshal(example)
			if err != nil {
				t.Fatal(err)
			}
			if got := send(t, address, op.method, strings.NewReplacer("{id}", githubID, "{name}", "readers").Replace(op.path), string(text)); got.status >= 300 {
				t.Errorf("%s %s: its example is answered with %d %s", op.method, op.path, got.status, got.body)
			}
		}
		for status, response := range op.responses {
			content, _ := response.(map[string]any)["content"].(map[string]any)
			problem, _ := content["application/problem+json"].(map[string]any)
			if problem == nil {
				continue
			}
			for name, example := range problem["examples"].(map[string]any) {
				value := example.(map[string]any)["value"]
				if err := c.schema(t, problem["schema"]).Validate(value); err != nil {
					t.Errorf("%s %s %s %s: %v", op.method, op.path, status, name, err)
				}
				if code := at(value, "code"); code != name || at(value, "status") != float64(statusOf(t, status)) {
					t.Errorf("%s %s %s %s: it is of %v", op.method, op.path, status, name, code)
				}
			}
		}
	}
}

func statusOf(tb testing.TB, text string) int {
	tb.Helper()
	status, err := strconv.Atoi(text)
	if err != nil {
		tb.Fatal(err)
	}
	return status
}
