package service

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"

	"mcp-aggregator/modules/servers"
)

// key is that of a server in a file.
type key struct{ file, text string }

var illegal = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

// legalNames are the nearest legal names to the keys. One that is legal keeps it; of
// the others those whose names would meet are told apart by a hash, so that a name
// does not depend on the order of the keys.
func legalNames(keys []key) []string {
	wanted, owner := make(map[string]int), make(map[string]int)
	for i, k := range keys {
		name := legal(k.text)
		wanted[name]++
		if _, taken := owner[name]; name == k.text && !taken {
			owner[name] = i
		}
	}
	names, taken := make([]string, len(keys)), make(map[string]bool)
	for i, k := range keys {
		names[i] = legal(k.text)
		first, owned := owner[names[i]]
		if wanted[names[i]] > 1 && (!owned || first != i) {
			names[i] = marked(names[i], k.text)
		}
		if taken[names[i]] { // the same key in two files
			names[i] = marked(legal(k.text), k.file+"\x00"+k.text)
		}
		taken[names[i]] = true
	}
	return names
}

func legal(text string) string {
	name := illegal.ReplaceAllString(text, "_")
	return name[:min(len(name), servers.MaxName)]
}

func marked(name, text string) string {
	sum := sha256.Sum256([]byte(text))
	suffix := "-" + hex.EncodeToString(sum[:3])
	return name[:min(len(name), servers.MaxName-len(suffix))] + suffix
}
