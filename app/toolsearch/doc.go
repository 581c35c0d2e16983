// Package toolsearch composes what both programs search with: an index that follows the
// registry, and the catalogue of the lean mode, as one client sees it.
package toolsearch
