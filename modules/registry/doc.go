// Package registry keeps the aggregated tools: which public name belongs to
// which server and which of its tools. Readers load one immutable Snapshot;
// writers replace it.
package registry
