// Package pgvector keeps vectors in PostgreSQL with the extension pgvector 0.8 or newer,
// which replicas can share: https://github.com/pgvector/pgvector.
//
// Vectors of all models and dimensions are in one table, mcp_tool_vectors, whose column
// embedding has no dimension of its own; mcp_vector_spaces numbers the spaces. Each space
// has an HNSW index of its own, on the expression that casts to its dimension: vector up to
// 2,000 numbers, halfvec up to 4,000; beyond, PostgreSQL compares each vector. The tables
// are made on the first use, by whoever comes first, and so is the extension, if the user
// may: it is of the store's own, because a database without pgvector holds the records.
package pgvector
