package wire

// BatchRevision is the only revision of MCP with batches (2025-03-26, basic#batching).
const BatchRevision = "2025-03-26"

// SessionRevisions returns the revisions of MCP that clients may choose, newest first:
// those whose sessions begin with initialize.
func SessionRevisions() []string { return append(HTTPRevisions(), "2024-11-05") }

// HTTPRevisions returns those of [SessionRevisions] that have streamable HTTP.
func HTTPRevisions() []string { return []string{"2025-11-25", "2025-06-18", BatchRevision} }
