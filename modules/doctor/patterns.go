package doctor

import "fmt"

// checkPatterns tells of patterns that choose nothing, as a misspelt one does.
func checkPatterns(patterns []Pattern) (findings []Finding) {
	for _, p := range patterns {
		findings = append(findings, Finding{
			Kind: PatternUnmatched, Severity: Warning, Where: p.Flag,
			What: fmt.Sprintf("the pattern %q matches no tool of the servers that run", p.Text),
			Fix:  "compare it with the names below, KEY:TOOL; * stands for any characters",
		})
	}
	return findings
}
