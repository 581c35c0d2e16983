// Package search finds tools by what they do.
//
// An [Index] holds the words of all tools in one immutable segment per server. A [Snapshot]
// of it ranks tools by BM25F, with a thesaurus and typo correction. An [Engine] adds the
// legs that need more than words: a [Dense] one, and [Learning], which counts the tools
// called after each search.
//
// docs/search.md describes the ranking and its figures, which are measured with the queries
// in testdata.
package search
