// Package lean is the core of the lean mode: a client sees three tools in place of
// thousands. search_tools finds tools, describe_tools returns their definitions as the
// servers wrote them, and call_tool calls one.
//
// Everything here is a function over bytes: no I/O, no session, no state. A program
// implements [Catalogue], lists [Definitions], hands each tools/call of one of the three
// names ([Owns]) to [Call], and either answers with the [Outcome]'s result or passes on
// the call that it asks for, as it would pass on a direct one. What the tool answers is
// given to the client byte for byte, but for the edits of [Forward.Edits].
//
// All texts of servers are hostile: what is shown of them is on one line, without
// control, format and bidirectional characters, and of bounded length ([Summary]).
//
// # Names
//
// A public name has its server's key in front, so none is called search_tools unless the
// user has chosen a separator that makes it so. In a tools/call the name then means the
// tool of this package, which the list shows; call_tool prefers the server's tool, so that
// it remains within reach.
package lean
