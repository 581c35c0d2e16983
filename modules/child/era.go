package child

import (
	"errors"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// era is which of MCP's two kinds of session a peer speaks: begun by
// initialize, or stateless since revision 2026-07-28. It is decided here.
type era int

const (
	legacy era = iota
	stateless
)

// firstStateless is the first revision without initialize.
const firstStateless = "2026-07-28"

func eraOf(version string) era {
	if version >= firstStateless {
		return stateless
	}
	return legacy
}

// unspoken explains an initialize that was not answered with a result. A child
// that does not know the method, or none of the versions, is of the other era.
func unspoken(err error) error {
	refusal, ok := errors.AsType[*jsonrpc.Error](err)
	if ok && (refusal.Code == jsonrpc.CodeMethodNotFound || refusal.Code == mcp.CodeUnsupportedProtocolVersion ||
		strings.Contains(refusal.Message+string(refusal.Data), firstStateless)) {
		return fmt.Errorf("initialize: it does not speak the revisions of MCP up to 2025-11-25, perhaps only %s, which is not supported: %w",
			firstStateless, err)
	}
	return fmt.Errorf("initialize: %w", err)
}
