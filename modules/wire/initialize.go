package wire

// PlainInitialize is the answer to initialize, under the raw JSON id, with the version of
// the raw JSON result and whether there are tools: the SDK's types would refuse what they
// do not know of the rest. A version that is no string becomes an empty one.
func PlainInitialize(id, result []byte) []byte {
	version := Member(result, "protocolVersion").Of(result)
	if byteAt(version, 0) != '"' {
		version = []byte(`""`)
	}
	capabilities := Member(result, "capabilities").Of(result)
	tools := `{}`
	if offered := string(Member(capabilities, "tools").Of(capabilities)); offered != "" && offered != "null" && offered != "false" {
		tools = `{"tools":{}}`
	}
	line := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	line = append(append(line, `,"result":{"protocolVersion":`...), version...)
	return append(line, `,"capabilities":`+tools+`,"serverInfo":{"name":"","version":""}}}`...)
}
