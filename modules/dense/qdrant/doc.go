// Package qdrant keeps vectors in Qdrant, by its Go client: https://qdrant.tech.
//
// Each space has a collection of its own, PREFIX_HASH_DIMENSION, where HASH is of the
// model's name; it is made on the first use. A point's id is the first half of its hash.
// Its payload is source_server_id, source_server_name, original_name, is_external,
// is_classified and skill_ids, each with an index; hash and used_at are the store's own.
package qdrant
