package lean

import (
	"context"

	"mcp-aggregator/modules/wire"
)

// Outcome is the result of a call of one of the three tools: exactly one field is set.
type Outcome struct {
	Result  []byte   // raw JSON of the result to return
	Forward *Forward // the call to forward
}

// Forward is a call to forward to a server. For a direct call of a tool by its own name,
// the caller may build one from Name, Tool and Arguments to use its Edits.
type Forward struct {
	Name      string // the public name, which the client uses
	Tool      Tool   // without a definition if the catalogue does not list it
	Arguments []byte // as forwarded
	Params    []byte // of the forwarded tools/call, replacing the client's
	Notes     []string
}

// standsTwice refuses what different readers could read differently.
const standsTwice = " occurs twice in the call"

// Call handles a tools/call of the named tool, which must be one of the three. It returns
// either a result or a call to forward. The params are those of the client's request,
// already validated by [wire.Message.Malformed] and [wire.Message.ToolName].
func Call(ctx context.Context, c Catalogue, name string, params []byte) Outcome {
	span, twice := single(params, "arguments")
	if twice {
		return Outcome{Result: failed("arguments" + standsTwice)}
	}
	arguments := span.Of(params)
	if text, ok := wire.Unquote(arguments); ok {
		arguments = objectIn(text)
	}
	if name == CallTool {
		return forward(ctx, c, params, span, arguments)
	}
	return Outcome{Result: answer(ctx, c, name, arguments)}
}

func answer(ctx context.Context, c Catalogue, name string, arguments []byte) []byte {
	if name == DescribeTools {
		return describe(c, arguments)
	}
	return search(ctx, c, arguments)
}

// forward turns a call of call_tool into the call it describes: name and arguments move up
// a level, and everything else, such as _meta, stays unchanged.
func forward(ctx context.Context, c Catalogue, params []byte, outer wire.Span, arguments []byte) Outcome {
	asked, problem := readCall(arguments)
	if problem != "" {
		return Outcome{Result: failed(problem)}
	}
	tool, presence := c.Lookup(asked.name)
	switch {
	case presence == Absent && asked.name == CallTool:
		return Outcome{Result: failed("call_tool cannot call itself. " + rightForm)}
	case presence == Absent && Owns(asked.name):
		return Outcome{Result: answer(ctx, c, asked.name, asked.arguments)}
	case presence == Absent:
		return Outcome{Result: failed(unknownName(asked.name, presence, c.Nearest(asked.name)))}
	case presence == Unlisted:
		tool = Tool{Name: asked.name}
	}
	inner, notes, problem := asked.understood(tool)
	if problem != "" {
		return Outcome{Result: failed(problem + parametersOf(tool))}
	}
	inner = wire.OneLine(inner)
	edits := []wire.Edit{{Span: wire.Member(params, "name"), With: asked.rawName}, {Span: outer, With: inner}}
	return Outcome{Forward: &Forward{
		Name: asked.name, Tool: tool, Arguments: inner, Notes: notes, Params: wire.Replace(params, edits...),
	}}
}

// single returns the member of an object, and whether it stands there twice.
func single(object []byte, name string) (span wire.Span, twice bool) {
	for raw, value := range wire.Members(object) {
		if text, _ := wire.Unquote(raw); text != name {
			continue
		}
		if span.Present() {
			return span, true
		}
		span = value
	}
	return span, false
}
