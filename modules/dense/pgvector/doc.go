// Package pgvector stores vectors in PostgreSQL with the extension pgvector 0.8 or newer,
// which replicas can share: https://github.com/pgvector/pgvector.
//
// Vectors of all models and dimensions share one table, mcp_tool_vectors, whose column
// embedding has no fixed dimension; mcp_vector_spaces assigns ids to spaces. Each space has
// its own HNSW index, on an expression that casts to its dimension: to vector up to
// dimension 2,000 and to halfvec up to 4,000. Beyond that, PostgreSQL compares each vector.
// The first use creates the tables and, if the user has the privilege, the extension. This
// schema is separate from that of package store, because a database without pgvector can
// hold the records.
package pgvector
