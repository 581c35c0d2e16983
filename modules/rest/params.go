package rest

import "github.com/danielgtaylor/huma/v2"

func inPath(name, text string, schema *huma.Schema, example any) *huma.Param {
	return &huma.Param{Name: name, In: "path", Required: true, Description: text, Schema: schema, Example: example}
}

func inQuery(name, text string, schema *huma.Schema, example any) *huma.Param {
	return &huma.Param{Name: name, In: "query", Description: text, Schema: schema, Example: example}
}

func idParam() *huma.Param {
	return inPath("id", "The id of the server.", &huma.Schema{Type: "string"}, "4f8d1c86-3f0e-4a3c-9c55-8a3a4e1b6f10")
}

func nameParam() *huma.Param {
	return inPath("name", "The name of the tool, server.tool, percent-encoded.", &huma.Schema{Type: "string"}, "github.create_issue")
}

func statusParam() *huma.Param {
	status := &huma.Schema{Type: "string", Enum: []any{"CONNECTING", "CONNECTED", "DEGRADED", "DISCONNECTED", "ERROR"}}
	return inQuery("status", "Only servers with this status; several are given between commas, or repeatedly.",
		&huma.Schema{Type: "array", Items: status}, []any{"CONNECTED", "DEGRADED"})
}

func limitParam() *huma.Param {
	least, most := float64(1), float64(mostEvents)
	return inQuery("limit", "How many events at most.",
		&huma.Schema{Type: "integer", Minimum: &least, Maximum: &most, Default: someEvents}, someEvents)
}

func availableParam() *huma.Param {
	return inQuery("available", "Which tools: available ones, those that are not, or all.",
		&huma.Schema{Type: "string", Enum: []any{"true", "false", "all"}, Default: "true"}, "all")
}

func serverParam() *huma.Param {
	return inQuery("server", "Only the tools of the server with this id or name.", &huma.Schema{Type: "string"}, "github")
}
