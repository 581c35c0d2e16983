package rest

import "mcp-aggregator/modules/servers"

// ParseCall reads the body of POST /tools/call as the API does, which is JSON.
func (a *API) ParseCall(body []byte) (Call, error) {
	return parseCall(a.schemas, schemaOf(a.schemas, callBody{}), body)
}

// Codes returns every code that a problem may have, and its status.
func Codes() map[string]int {
	codes := map[string]int{}
	for _, m := range codeInfos {
		codes[string(m.code)] = m.status
	}
	return codes
}

// Statuses are all statuses of a server.
var Statuses = []servers.Status{servers.Connecting, servers.Connected, servers.Degraded, servers.Disconnected, servers.Errored}
