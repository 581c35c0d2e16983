// Package remote makes sessions with servers over streamable HTTP (MCP 2025-11-25,
// basic/transports) and over HTTP with SSE (MCP 2024-11-05, basic/transports).
//
// # Two planes
//
// The SDK's client has the session: it negotiates the version, opens the server's own
// stream, resumes it when it breaks, and deletes the session at the end. Calls, lists,
// cancellations and responses to the server's requests are POSTs of ours, with the address
// and the headers of the SDK's (the session's id and the version among them) and over the
// same connections. A response is taken as bytes out of the JSON text or the event in
// which it came; over SSE all come in the one event stream.
//
// An interceptor, an [net/http.RoundTripper], is under the SDK's HTTP client, and does
// what cannot be done elsewhere:
//
//   - It records the address and the headers for requests of ours: the SDK exposes nothing
//     of a session but its id. It adds the server's own headers.
//   - It takes the messages out of the server's streams before the SDK reads them, which would
//     round ids beyond 2^53, and end the session at an event that is not JSON, at nesting
//     beyond 1,000 levels, and at an error whose code is not an integer. The SDK reads
//     the ids of a stream's events, by which it resumes it, and over SSE the address for
//     messages.
//   - It reduces the response to initialize to the version and whether there are tools: the
//     SDK's types refuse other members that they do not know.
//   - It keeps the SDK's session alive where the SDK would end it: with a server that has no
//     stream of its own, or sends no header before its first message.
//
// # Limits
//
//   - Ids on the wire are integers of ours, from 2^20 up: the SDK's begin at 1. Ids of
//     the server's requests are never decoded.
//   - A message may have Options.MaxMessage bytes (the SDK's limit of 16 MiB is off), and
//     all that are being read together Options.MaxReading; a buffer grows with what has
//     arrived. A message for which there is no room, one that is not UTF-8 and one that is
//     not JSON is ignored, with a warning; the call that it answers fails, if its id could
//     be found.
//   - A message in a stream may have several lines. A carriage return alone does not end a
//     line. Lines of other fields than data are ignored if they have more than 16 KiB.
//   - The messages of one stream are passed on in its order: those before a response are
//     passed before it. Between streams there is no order, as there is none in the
//     protocol: over streamable HTTP each response has a stream of its own, and the server
//     one more.
//   - The call that a message belongs to is known if the message came in the stream of a
//     response: over SSE, where there is one stream for all, never.
//
// # What happens to calls
//
// A request is sent once. A stream that breaks is resumed if the server gave its
// events ids, which sends nothing again; otherwise the call fails, and its outcome is
// unknown. [wire.Error].Unsent is set if no connection was made, or if the server
// responded with 307, 308 or a status of 400 to 499 but for 408, 409 and 422; not with a
// 5xx, since a proxy may have forwarded the request before. A redirect is followed if it
// stays with the server and repeats the request (307 and 308; any, of a GET): headers are
// never sent to another host, and the SSE transport's address for messages must be the
// server's own. Nothing bounds the time until a response.
//
// A session ends by itself when the server does not know it any more (404, or 400 with
// a text about sessions), when the server is unreachable, or when the stream of the SSE
// transport ends. Over streamable HTTP the server's own stream is opened again
// when it ends, and the tools are read again then; if that fails five times in a row
// the session ends. The end of a server without such a stream is noticed at the next call.
// Each accepted call is answered once, even if the session ends: the goroutine that
// removes it from the pending requests answers it.
package remote
