package main

// Get makes a request on a connection of its own and returns the body.
func Get(address string, request []byte) (body []byte, err error) {
	c, err := dial(address)
	if err != nil {
		return nil, err
	}
	defer c.close()
	body, err = c.do(request)
	return append([]byte(nil), body...), err
}

// OverMCP and OverREST make a call of a tool: over MCP in a session, as the call of
// that number.
func OverMCP(address, session, tool string, n int) []byte {
	return overMCP(address, session, "tools/call", params(tool)).number(n)
}

func OverREST(address, tool string) []byte { return overREST(address, params(tool)).number(0) }
