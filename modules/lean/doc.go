// Package lean implements lean mode, in which a client sees three tools instead of
// thousands: search_tools finds tools, describe_tools returns their definitions as the
// servers wrote them, and call_tool calls one.
//
// The package consists of functions over bytes, without I/O, sessions or state. A program
// implements [Catalogue], lists [Definitions] and passes each tools/call of one of the
// three names ([Owns]) to [Call]. It then returns the result in the [Outcome] or forwards
// the call in it, as it would forward a direct one. The tool's response reaches the client
// byte for byte, except for the edits of [Forward.Edits].
//
// All text from servers is treated as hostile: it is shown on one line, with bounded
// length, and without control, format and bidirectional characters ([Summary]).
//
// # Names
//
// A public name starts with its server's key, so no tool can be named search_tools unless
// the user chose a separator that allows it. In that case a direct tools/call means the
// tool of this package, which is the one listed, while call_tool prefers the server's tool
// to keep it reachable.
package lean
