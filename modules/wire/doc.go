// Package wire carries newline-delimited JSON-RPC as bytes.
//
// A line is read once: [Scanner] validates it and, in the same pass, locates the
// members that routing needs. Nothing is decoded, so that numbers, member order, escapes
// and unknown members arrive as they were sent. [Members], [Elements], [Unquote] and
// [AppendQuoted] read and write values in the same bytes.
//
// No function recurses into its input, so nesting may be of any depth.
package wire
