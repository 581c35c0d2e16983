// Package dense finds tools by meaning: it compares the vector of a query with those of the
// tools by cosine similarity.
//
// An [Embedder] computes vectors and a [VectorStore] stores them. A [Leg] holds the tools
// to search and keeps their vectors up to date in one goroutine. It looks in the store
// first and embeds only what is missing there, so that a tool is embedded once overall, not
// once per start, session or replica.
//
// # Spaces
//
// A vector belongs to a [Space], which is a model and a dimension. The dimension is that of
// the embedder's first response. If a later response has another dimension, the leg
// switches to the new space and embeds the tools again in the background. Vectors of the
// old space stay unused until [VectorStore.DeleteUnused] deletes them.
//
// # Failures
//
// [Leg.Scores] returns within a short time whatever the embedder and the store do. If they
// fail, it returns an [*Error] and search goes on without it. The goroutine retries with
// exponential backoff.
package dense
