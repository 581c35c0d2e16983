// Package search finds tools by what they do.
//
// An [Index] has the words of all tools, an immutable segment for each server; a
// [Snapshot] of it ranks tools by BM25F, with a thesaurus and corrections of typing
// errors. An [Engine] adds the legs that need more than words: a [Dense] one, and
// [Learning], which counts what is called after which searches.
//
// docs/search.md describes the ranking and has its figures; the queries of testdata
// are what it is measured by.
package search
