// Package qdrant stores vectors in Qdrant, using its Go client: https://qdrant.tech.
//
// Each space has its own collection PREFIX_HASH_DIMENSION, where HASH is a hash of the
// model's name. The first use creates it. The id of a point is the first half of its hash.
// Its payload has the indexed fields source_server_id, source_server_name, original_name,
// is_external, is_classified and skill_ids, and the internal ones hash and used_at.
package qdrant
