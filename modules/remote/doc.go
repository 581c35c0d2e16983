// Package remote makes sessions with servers over streamable HTTP (MCP 2025-11-25,
// basic/transports) and over HTTP with SSE (MCP 2024-11-05, basic/transports).
//
// # Two planes
//
// The SDK's client leads a session: it negotiates the version, keeps the session's id
// and the version in the headers of each request, keeps the streams open, resumes
// those that break, and deletes the session at the end. What is routed goes past it
// as bytes. It goes through tap, an [net/http.RoundTripper] under the SDK's own HTTP
// client; nothing is wrapped around its [mcp.Transport], for then it sends no version
// and opens no stream.
//
// A call is a custom method of the SDK without content, in whose place tap sends the
// real request. Answers, requests and notifications are taken out of the bodies
// before the SDK reads them; of an answer it gets an empty one under its own id, so
// that it knows that the call is over. Of initialize it sees the version and whether
// there are tools.
//
// # Limits
//
//   - Ids on the wire are integers of ours, from 2^20 up: the SDK's begin at 1. Ids of
//     the server's requests are never decoded. (Left to the SDK, those beyond 2^53 are
//     rounded, and nesting beyond 1,000 levels, an error code that is no integer, or
//     an event that is no JSON ends the session.)
//   - A message may have Options.MaxMessage bytes (the SDK's limit of 16 MiB is off). A
//     longer one, one that is not UTF-8 and one that is no JSON is ignored, with a
//     warning; the call that it answers fails, if its id could be found.
//   - A message in a stream may have several lines. A carriage return alone ends none.
//   - What one stream says is passed in its order: what stands before an answer is
//     passed before it. Between streams there is no order, as there is none in the
//     protocol: over streamable HTTP each answer has a stream of its own, and the server
//     one more.
//   - In whose call a message came is known if it came in the stream of an answer:
//     over SSE, where there is one stream for all, never.
//
// # What happens to calls
//
// A request is sent once. A stream that breaks is resumed if the server gave its
// events ids, which sends nothing again; otherwise the call fails, and its outcome is
// unknown. [wire.Error].Unsent is set if no connection was made, or if the server
// answered with 307, 308 or a status of 400 to 499 but for 408, 409 and 422; not with a
// 5xx, since a proxy may have handed the request on before. A redirect is followed if it stays
// with the server and repeats the request (307 and 308; any, of a GET): headers are
// never told to another host, and the SSE transport's address for messages must be the
// server's own. Nothing bounds how long an answer takes.
//
// A session ends by itself when the server does not know it any more (404, or 400 with
// a text about sessions), when nobody can be reached, or when the stream of the SSE
// transport ends. Over streamable HTTP the stream of the server's own is opened again
// when it ends, and the tools are read again then; if that fails five times in a row
// the session ends. A server without such a stream is missed at the next call.
package remote
