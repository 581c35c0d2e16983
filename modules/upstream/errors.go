package upstream

import (
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"mcp-aggregator/modules/wire"
)

// toolNotFound says that no tool has that name, and what else is known: which ones are
// similar, or why its server has failed.
func toolNotFound(name, hint string, server *ServerStatus) *wire.Error {
	err := &wire.Error{Code: jsonrpc.CodeMethodNotFound, Message: "Tool not found: " + name + hint}
	if server != nil {
		err.Data = absence{Server: server.Key, Status: server.State, Reason: server.Reason}
	}
	return err
}

// absence is the data of toolNotFound.
type absence struct {
	Server string `json:"server"`
	Status string `json:"status"`
	Reason string `json:"reason"`
}

func tooManyOpen() *wire.Error {
	return &wire.Error{Code: jsonrpc.CodeInternalError, Message: "Too many requests that the client has not answered"}
}

func notReady(key string) *wire.Error {
	return &wire.Error{Code: jsonrpc.CodeInternalError, Message: fmt.Sprintf("Server '%s' is not ready, and too many calls wait for it", key)}
}

func tooMuch() *wire.Error {
	return &wire.Error{Code: jsonrpc.CodeInternalError, Message: "The answers to the batch are too large"}
}

func stopping() *wire.Error {
	return &wire.Error{Code: jsonrpc.CodeInternalError, Message: "The aggregator is stopping"}
}
