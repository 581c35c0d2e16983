// Package store keeps the records of servers, their tools and their histories in an
// SQLite file of the service's own, or in a PostgreSQL database that several replicas of
// the service share. [Store] implements [servers.Store], [servers.Cluster] and
// [profiles.Store].
//
// # Tables
//
// The migrations, one folder for each engine, create these tables with the same columns:
//
//   - external_servers: one row for each [servers.Server]. registration numbers the rows
//     in the order of Create, wanted is the desired state, connection_config is the JSON
//     of [servers.Connection].
//   - tools: one row for each [servers.Tool], deleted with its server. position is its
//     index in the server's own list. input_schema and raw_definition are bytes and not a
//     JSON type, so that they are read back unchanged.
//   - server_connection_history: one row for each [servers.Event], deleted with its
//     server. The newest 1,000 of a server are kept.
//   - tool_vectors: one row for each vector of the dense search, by model, dimension and
//     hash of the text. Numbers are little-endian, of 32 bits each; used_on is the day of
//     the last use.
//   - profiles: one row for each [profiles.Profile]. Its lists are JSON arrays.
//   - search_votes: one row for each [search.Vote]. server is the name of the server, so
//     that what was learned stays when it is registered anew; at is in Unix seconds.
//   - server_leases, in PostgreSQL only: one row for each server that a replica runs, or
//     ran and did not release in order.
//
// A new table needs a migration for each engine, a file in this package, an interface in
// the module that uses it, and a suite in testutil/storetest.
//
// # Values
//
// Create sets the id and registered_at, which never change. The store sets updated_at on
// every write of a record, and the namespaced name of a tool, which always consists of
// the current name of the server, a dot and the original name. Events belong to the
// server that is updated; an event without a time happened now. The caller sets all else.
//
// Times are in UTC and have microseconds. Texts contain no NUL, which PostgreSQL rejects,
// and are valid UTF-8: invalid characters become U+FFFD. Raw JSON is stored unchanged.
//
// connection_config, which may hold secrets, is written through a codec. Records are
// compared before they are encoded, because an encoding may differ each time.
//
// # Notifications
//
// In PostgreSQL, a transaction that changes external_servers or tools notifies the
// channel mcp_aggregator with the name of its replica, one that changes profiles the
// channel mcp_aggregator_profiles, and each replica listens on a connection of its own. SQLite needs no notifications: the file is locked, and one
// program uses it.
//
// # Claims
//
// The claims of a replica are advisory locks on a connection of their own, which are
// released when it ends. A replica detects that end within a time limit, and kills the
// processes that it runs within another. The next holder of the lock waits for both,
// unless the row in server_leases is gone: the last holder deletes it after the process
// has ended and before it unlocks.
//
// # Time limits
//
// Every method returns within a time limit, whatever the state of the database. If the
// file was removed or replaced, every method returns an error, because what is written
// would be lost.
package store
