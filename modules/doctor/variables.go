package doctor

import "fmt"

// checkVariables tells of variables that a desktop application need not give.
// Their values are not known here.
func checkVariables(s Server) (findings []Finding) {
	for _, v := range s.Missing {
		findings = append(findings, Finding{
			Kind: VariableOffDesktop, Severity: Warning, Where: v.Where,
			What: fmt.Sprintf("environment variable %q is set here, but a desktop application may not have it, or not pass it on", v.Name),
			Fix:  fmt.Sprintf(`set it in the "env" of the aggregator's entry in the client's own file, or give it a default with "${%s:-...}"`, v.Name),
		})
	}
	return findings
}
