// Package pgtest runs a temporary PostgreSQL server for the tests of one binary. If
// PostgreSQL is not installed, the tests are skipped; in CI they fail.
package pgtest
