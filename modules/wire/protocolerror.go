package wire

import "github.com/modelcontextprotocol/go-sdk/jsonrpc"

// ParseError is the error for what is no JSON (JSON-RPC 2.0, section 5.1).
func ParseError(text string) *Error {
	return &Error{Code: jsonrpc.CodeParseError, Message: "Parse error: " + text}
}

// InvalidRequest is the error for what is no JSON-RPC request.
func InvalidRequest(text string) *Error {
	return &Error{Code: jsonrpc.CodeInvalidRequest, Message: "Invalid request: " + text}
}

// InvalidParams is the error for params that the method does not have.
func InvalidParams(text string) *Error {
	return &Error{Code: jsonrpc.CodeInvalidParams, Message: text}
}

// MethodNotFound is the error for a method that there is not.
func MethodNotFound(method string) *Error {
	return &Error{Code: jsonrpc.CodeMethodNotFound, Message: "Method not found: " + method}
}

// InternalError is the error for what is not the client's fault.
func InternalError(text string) *Error {
	return &Error{Code: jsonrpc.CodeInternalError, Message: text}
}
