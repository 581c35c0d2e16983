// Package app holds the tests of the whole repository: its import rules and what its
// documents show. The programs are composed in the packages below it.
package app
