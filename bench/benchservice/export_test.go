package main

// Get makes a request on a new connection and returns the body.
func Get(address string, request []byte) (body []byte, err error) {
	c, err := dial(address)
	if err != nil {
		return nil, err
	}
	defer c.close()
	body, err = c.do(request)
	return append([]byte(nil), body...), err
}

// OverMCP and OverREST encode a call of a tool; over MCP with a session and an id.
func OverMCP(address, session, tool string, n int) []byte {
	return overMCP(address, session, "tools/call", params(tool)).number(n)
}

func OverREST(address, tool string) []byte { return overREST(address, params(tool)).number(0) }
