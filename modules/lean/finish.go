package lean

import (
	"bytes"
	"strings"

	"mcp-aggregator/modules/wire"
)

// maxSchemaShown is the size in bytes up to which an error includes the whole schema.
// Beyond it, the error includes the signature.
const maxSchemaShown = 16 << 10

// metaKey is the member of a result's _meta that carries the notes of a call (2025-11-25,
// basic/index#meta).
const metaKey = `"mcp-aggregator/notes":`

// invalidParams is JSON-RPC's error code for invalid method parameters.
const invalidParams = "-32602"

// Edits returns the changes to make to the tool's response before the client sees it,
// usually none. A successful result gets a note in _meta if the arguments were not
// forwarded as sent. If the arguments do not match the tool's schema, an error result gets
// another text block with the schema, and a JSON-RPC error gets it in its data. Whatever
// the tool wrote stays unchanged and comes first.
func (f *Forward) Edits(response *wire.Message) (edits []wire.Edit) {
	result, problem := response.Result.Of(response.Line), response.Error.Of(response.Line)
	switch {
	case isObject(result):
		return shiftEdits(f.resultEdits(result), response.Result.Start)
	case isObject(problem):
		return shiftEdits(f.errorEdits(problem), response.Error.Start)
	}
	return nil
}

func shiftEdits(edits []wire.Edit, by int) []wire.Edit {
	for i := range edits {
		edits[i].Span.Start += by
		edits[i].Span.End += by
	}
	return edits
}

func (f *Forward) resultEdits(result []byte) (edits []wire.Edit) {
	if len(f.Notes) > 0 {
		edits = append(edits, f.noteEdits(result)...)
	}
	if !bytes.Contains(result, []byte("isError")) || // cheap check first: a result may be large
		string(wire.Member(result, "isError").Of(result)) != "true" {
		return edits
	}
	content := wire.Member(result, "content")
	if list := content.Of(result); len(list) > 0 && list[0] == '[' {
		if problems := Mismatch(f.Tool.inputSchema(), f.Arguments); len(problems) > 0 {
			edits = append(edits, appendItem(list, content, textBlock(nil, f.mismatchText(problems))))
		}
	}
	return edits
}

// noteEdits adds the notes to the _meta of a result.
func (f *Forward) noteEdits(result []byte) []wire.Edit {
	member := wire.AppendQuoted([]byte(metaKey+"["), f.Notes[0])
	for _, note := range f.Notes[1:] {
		member = wire.AppendQuoted(append(member, ','), note)
	}
	member = append(member, ']')
	meta := wire.Member(result, "_meta")
	switch {
	case !meta.Present():
		member = append(append([]byte(`"_meta":{`), member...), '}')
		return []wire.Edit{appendItem(result, wire.Span{End: len(result)}, member)}
	case isObject(meta.Of(result)):
		return []wire.Edit{appendItem(meta.Of(result), meta, member)}
	}
	return nil
}

// appendItem adds an item at the end of an object or array, which is located at the given
// span.
func appendItem(container []byte, at wire.Span, item []byte) wire.Edit {
	end := at.End - 1
	if len(bytes.TrimSpace(container[1:len(container)-1])) > 0 {
		item = append([]byte{','}, item...)
	}
	return wire.Edit{Span: wire.Span{Start: end, End: end}, With: item}
}

// errorEdits adds the schema to the data of an error, unless data is taken already.
func (f *Forward) errorEdits(problem []byte) []wire.Edit {
	problems := Mismatch(f.Tool.inputSchema(), f.Arguments)
	code := string(wire.Member(problem, "code").Of(problem))
	schema := f.Tool.inputSchema()
	if len(problems) == 0 && code != invalidParams || len(schema) > maxSchemaShown || !isObject(schema) {
		return nil
	}
	member := append([]byte(`"inputSchema":`), wire.OneLine(schema)...)
	if len(problems) > 0 {
		member = wire.AppendQuoted(append(member, `,"problems":`...), strings.Join(problems, "; "))
	}
	data := wire.Member(problem, "data")
	switch raw := data.Of(problem); {
	case raw == nil:
		member = append(append([]byte(`"data":{`), member...), '}')
		return []wire.Edit{appendItem(problem, wire.Span{End: len(problem)}, member)}
	case string(raw) == "null":
		return []wire.Edit{{Span: data, With: append(append([]byte{'{'}, member...), '}')}}
	case isObject(raw) && !wire.Member(raw, "inputSchema").Present() && !wire.Member(raw, "problems").Present():
		return []wire.Edit{appendItem(raw, data, member)}
	}
	return nil
}

// mismatchText tells the model how to correct its arguments.
func (f *Forward) mismatchText(problems []string) string {
	text := "The arguments do not match the input schema of " + oneLine(f.Name) + ": " + strings.Join(problems, "; ") + ". "
	schema := f.Tool.inputSchema()
	if len(schema) > maxSchemaShown {
		return text + "Its signature is " + Signature(schema) + "; describe_tools returns the whole schema."
	}
	return text + "The schema: " + string(wire.OneLine(schema))
}
