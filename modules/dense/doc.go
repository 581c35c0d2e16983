// Package dense finds tools by meaning: it compares the vector of a query with those of
// the tools, by the cosine of the angle between them.
//
// An [Embedder] makes the vectors, a [VectorStore] keeps them. [Leg] holds the tools that
// are searched now, and one goroutine of it sees to their vectors: it asks the store first
// and embeds only what the store lacks, so that a tool is embedded once in its life, not
// once a start, a session or a replica.
//
// # What is never mixed
//
// A vector belongs to a [Space], a model and a dimension. The dimension is that of the
// embedder's first answer; when a later one has another dimension, the leg moves to the
// other space, and embeds the tools again in the background. Vectors of the former space
// stay where they are, unused, until [VectorStore.DeleteUnused] removes them.
//
// # What fails
//
// [Leg.Scores] ends within a short bound, whatever the embedder and the store do, and
// returns an [*Error]: search goes on without it. The goroutine tries again with pauses
// that grow.
package dense
