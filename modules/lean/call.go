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

// occursTwice rejects duplicate members, which different parsers read differently.
const occursTwice = " occurs twice in the call"

// Call handles a tools/call of the named tool, which must be one of the three. It returns
// either a result or a call to forward. The params are those of the client's request,
// already validated by [wire.Message.Malformed] and [wire.Message.ToolName].
func Call(ctx context.Context, c Catalogue, name string, params []byte) Outcome {
	span, twice := findUnique(params, "arguments")
	if twice {
		return Outcome{Result: errorResult("arguments" + occursTwice)}
	}
	arguments := span.Of(params)
	if text, ok := wire.Unquote(arguments); ok {
		arguments = objectIn(text)
	}
	if name == CallTool {
		return forward(ctx, c, params, span, arguments)
	}
	return Outcome{Result: answerLocally(ctx, c, name, arguments)}
}

// answerLocally runs search_tools or describe_tools.
func answerLocally(ctx context.Context, c Catalogue, name string, arguments []byte) []byte {
	if name == DescribeTools {
		return describe(c, arguments)
	}
	return search(ctx, c, arguments)
}

// forward turns a call of call_tool into the call it describes: name and arguments move up
// a level, and everything else, such as _meta, stays unchanged.
func forward(ctx context.Context, c Catalogue, params []byte, outer wire.Span, arguments []byte) Outcome {
	call, problem := readCall(arguments)
	if problem != "" {
		return Outcome{Result: errorResult(problem)}
	}
	tool, presence := c.Lookup(call.name)
	switch {
	case presence == Absent && call.name == CallTool:
		return Outcome{Result: errorResult("call_tool cannot call itself. " + rightForm)}
	case presence == Absent && Owns(call.name):
		return Outcome{Result: answerLocally(ctx, c, call.name, call.arguments)}
	case presence == Absent:
		return Outcome{Result: errorResult(unknownName(call.name, presence, c.Nearest(call.name)))}
	case presence == Unlisted:
		tool = Tool{Name: call.name}
	}
	inner, notes, problem := call.resolveArguments(tool)
	if problem != "" {
		return Outcome{Result: errorResult(problem + parametersOf(tool))}
	}
	inner = wire.OneLine(inner)
	edits := []wire.Edit{{Span: wire.Member(params, "name"), With: call.rawName}, {Span: outer, With: inner}}
	return Outcome{Forward: &Forward{
		Name: call.name, Tool: tool, Arguments: inner, Notes: notes, Params: wire.Replace(params, edits...),
	}}
}

// findUnique returns the member of an object with the given name, and whether it occurs
// twice.
func findUnique(object []byte, name string) (span wire.Span, twice bool) {
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
