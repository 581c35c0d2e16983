// Package store keeps the servers' records, their tools and their histories in
// SQLite, in a file of the service's own, or in PostgreSQL, which several replicas
// of the service can share. [Store] is a [servers.Store] and a [servers.Cluster].
//
// # Tables
//
// The migrations, one folder a dialect, make these tables, of the same columns:
//
//   - external_servers: one row a [servers.Server]; registration numbers them in
//     the order of Create, wanted is the desired state, connection_config is the
//     JSON of [servers.Connection].
//   - tools: one row a [servers.Tool], which goes with its server; position is its
//     place in the server's own list. input_schema and raw_definition are bytes, not
//     a type of JSON, so that they come back as they were.
//   - server_connection_history: one row a [servers.Event], which goes with its
//     server. The newest 1,000 of a server are kept.
//   - server_leases, in PostgreSQL singleNode: one row a server that a replica runs, or ran
//     and did not give up in order.
//
// # Who sets what
//
// The id and registered_at are Create's, and stay; updated_at is the store's, on
// every write of a record, and counts as no change. The namespaced name of a tool is
// the store's, too: the record's name, a dot, the original name, always those of
// the same moment. Events go to the server that is updated; one without a time
// happened now. All else is the caller's.
//
// Times are UTC, of microseconds. Texts hold no NUL, which PostgreSQL refuses, and
// nothing that is not UTF-8: such characters become U+FFFD. Raw JSON is exempt.
//
// connection_config, which may hold secrets, is written through a codec. What counts as a
// change is decided before it is encoded: an encoding may differ each time.
//
// # Who notifies whom
//
// In PostgreSQL, a transaction that changes external_servers or tools notifies the
// channel mcp_aggregator of the replica that did it, and each replica listens on a
// connection of its own. SQLite notifies nobody, because one program singleNode uses the file,
// which it locks.
//
// # Who runs what
//
// The claims of a replica are advisory locks on a connection of their own: with it they
// end. A replica knows of that end within a bound, and kills what it runs within another.
// Whoever has the lock next waits for both, unless the row of server_leases is gone: the
// last one has deleted it after the end of the server, before it unlocked.
//
// # What does not answer
//
// Every method ends within a bound, whatever becomes of the database. Of a file that has
// been removed or replaced every use is refused: what was written would be lost.
package store
