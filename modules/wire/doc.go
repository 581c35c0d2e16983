// Package wire carries newline-delimited JSON-RPC as bytes.
//
// A line is read once: [Scanner] validates it as a whole and, in the same pass,
// locates the members that routing needs. Nothing is decoded, so that numbers,
// member order, escapes and members that nobody knows yet arrive as they were
// sent. What has to be read or written goes through [Members], [Elements],
// [Unquote] and [AppendQuoted], which work on the same bytes.
//
// No function recurses into its input: nesting may be of any depth.
package wire
