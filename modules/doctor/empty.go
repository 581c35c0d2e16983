package doctor

// checkEmpty tells of a file without servers where to get some from.
func checkEmpty(empty bool) []Finding {
	if !empty {
		return nil
	}
	return []Finding{{
		Kind: NoServers, Severity: Warning, Where: "mcpServers", What: "there is no server in the file",
		Fix: "write one into it, or take over those of your clients with: mcp-simple-aggregator import",
	}}
}
