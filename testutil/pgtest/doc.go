// Package pgtest runs a real, throw-away PostgreSQL for the tests of one binary.
// Where its programs are missing, the tests are skipped; where CI runs, they fail.
package pgtest
