// Package search finds tools by what they do.
package search
