package doctor

import (
	"cmp"
	"slices"
)

// Examine returns all findings: errors first, then warnings, then notes, each in the order
// of the checks and then of the file.
func Examine(p Input) []Finding {
	findings := []Finding{}
	tools := make([][]definition, len(p.Servers))
	for i, server := range p.Servers {
		tools[i] = decodeTools(server.Tools)
	}
	add := func(more []Finding) { findings = append(findings, more...) }
	for _, server := range p.Servers {
		add(checkFailure(server))
		if !startsInShell(p.Client) {
			add(checkCommand(server, p.Machine))
			add(checkVariables(server))
		}
		add(checkStart(server, p.Wait, p.Client))
	}
	findings = mergeSame(findings)
	add(checkEmpty(p.Empty))
	add(checkPatterns(p.Patterns))
	add(checkNames(p.Servers, p.Rules, p.Client))
	all := slices.Concat(tools...)
	for _, list := range tools {
		add(checkSchemas(list, Error, Warning))
	}
	add(checkSchemas(all, Note)) // notes are reported for all servers together
	if p.Lean {
		add(checkSize(decodeTools(p.Listed), p.Client))
	} else {
		add(checkSize(all, p.Client))
	}
	add(checkDuplicates(p.Servers))
	add(checkLookalikes(all))
	findings = slices.DeleteFunc(findings, func(f Finding) bool {
		return p.Client != "" && len(f.Clients) > 0 && !slices.Contains(f.Clients, p.Client)
	})
	slices.SortStableFunc(findings, func(a, b Finding) int { return cmp.Compare(severityRank[a.Severity], severityRank[b.Severity]) })
	return findings
}

var severityRank = map[Severity]int{Error: 0, Warning: 1, Note: 2}

// mergeSame merges findings that differ only in their places, such as those of ten servers
// that npx starts.
func mergeSame(findings []Finding) []Finding {
	one := []Finding{}
	index := make(map[string]int)
	for _, f := range findings {
		key := string(f.Kind) + "\x00" + f.What + "\x00" + f.Fix
		i, known := index[key]
		if !known {
			i = len(one)
			index[key] = i
			one = append(one, f)
		}
		one[i].Places = append(one[i].Places, f.Where)
	}
	return one
}
