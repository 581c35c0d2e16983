package main

import (
	"fmt"
	"strconv"
	"strings"

	"mcp-aggregator/bench/payload"
)

// slowTool is the name of a tool that takes two seconds.
const slowTool = "wait2s"

// offer builds the list of tools: x100 returns 100 bytes of text, code10000 returns
// 10,000 bytes of code.
func offer(more int) *result {
	var list []string
	for _, name := range []string{"x100", "x10000", "x1000000", "x67108864", "code10000", "code1000000", slowTool} {
		list = append(list, `{"name":"`+name+`","inputSchema":{"type":"object"}}`)
	}
	for i := range more {
		list = append(list, fmt.Sprintf(`{"name":"tool_number_%d","description":"A tool of a long list, with a description of the usual length for such a tool.",`+
			`"inputSchema":{"type":"object","properties":{"path":{"type":"string","description":"Where to look."}},"required":["path"]}}`, i))
	}
	return prepare(`{"tools":[` + strings.Join(list, ",") + `]}`)
}

// resultOf returns the result of a tool, which is empty for an unknown name.
func resultOf(name string) string {
	digits, code := strings.CutPrefix(name, "code")
	size, _ := strconv.Atoi(strings.TrimPrefix(digits, "x"))
	return payload.Result(code, size)
}
