package doctor

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// checkDuplicates reports servers that offer tools of the same name, which a model cannot
// tell apart by it. There is one finding for each set of servers.
func checkDuplicates(servers []Server) []Finding {
	owners := make(map[string][]string) // keys of the servers, by the tool's own name
	names := make(map[string][]string)  // canonical names, by the tool's own name
	var order []string
	for _, server := range servers {
		for _, tool := range server.Tools {
			if owners[tool.OriginalName] == nil {
				order = append(order, tool.OriginalName)
			}
			if !slices.Contains(owners[tool.OriginalName], server.Key) {
				owners[tool.OriginalName] = append(owners[tool.OriginalName], server.Key)
			}
			names[tool.OriginalName] = append(names[tool.OriginalName], tool.Name)
		}
	}
	var findings []Finding
	bySet := make(map[string]int) // index in findings
	for _, own := range order {
		if len(owners[own]) < 2 {
			continue
		}
		set := strings.Join(owners[own], "\x00")
		i, known := bySet[set]
		if !known {
			i = len(findings)
			bySet[set] = i
			findings = append(findings, duplicateFinding(own, names[own][0], owners[own]))
		}
		findings[i].Tools = append(findings[i].Tools, names[own]...)
	}
	return findings
}

func duplicateFinding(own, where string, servers []string) Finding {
	quoted := make([]string, len(servers))
	for i, key := range servers {
		quoted[i] = fmt.Sprintf("%q", shorten(key))
	}
	offer := "both offer"
	if len(servers) > 2 {
		offer = "all offer"
	}
	return Finding{
		Kind: DuplicateTools, Severity: Note, Where: where,
		What: fmt.Sprintf("the servers %s %s %q: a model may take one for the other", joinAnd(quoted), offer, shorten(own)),
		Fix:  "give the servers keys that say what each is for, or hide one of the tools with --deny",
	}
}

// similarity is one way in which tools with different names are alike.
type similarity struct {
	kind Kind
	// keyOf returns what similar tools have in common, or "".
	keyOf         func(definition) string
	description   string
	acrossServers bool // ignore tools of one server
}

// minSchema is the length in bytes from which two tools do not have a schema in common by
// chance, as they do an object with one string called path.
const minSchema = 200

// checkLookalikes reports tools whose names differ only in style, or that have the same
// description or arguments.
func checkLookalikes(tools []definition) (findings []Finding) {
	for _, like := range []similarity{
		{SimilarNames, normalizedName, "differ in the way their names are written only", false},
		{SameDescription, func(d definition) string { return strings.TrimSpace(d.description) }, "have the same description", false},
		{SameSchema, canonicalSchema, "take the same arguments", true},
	} {
		findings = append(findings, like.findSimilar(tools)...)
	}
	return findings
}

func (l similarity) findSimilar(tools []definition) (findings []Finding) {
	groups := make(map[string][]definition)
	var order []string
	for _, tool := range tools {
		key := l.keyOf(tool)
		if key == "" {
			continue
		}
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], tool)
	}
	for _, key := range order {
		if group := groups[key]; severalNames(group) && (!l.acrossServers || severalServers(group)) {
			findings = append(findings, l.newFinding(group))
		}
	}
	return l.limitFindings(findings)
}

// maxGroups is how many groups of similar tools are reported one by one.
const maxGroups = 5

// limitFindings merges the findings beyond maxGroups into one.
func (l similarity) limitFindings(findings []Finding) []Finding {
	if len(findings) <= maxGroups {
		return findings
	}
	rest := findings[maxGroups]
	for _, f := range findings[maxGroups+1:] {
		rest.Tools = append(rest.Tools, f.Tools...)
	}
	rest.What = fmt.Sprintf("%d further groups of tools %s: a model may take one for the other", len(findings)-maxGroups, l.description)
	return append(findings[:maxGroups], rest)
}

// severalNames reports whether the names differ. checkDuplicates reports equal ones.
func severalNames(group []definition) bool {
	return slices.ContainsFunc(group, func(d definition) bool { return d.OriginalName != group[0].OriginalName })
}

// severalServers reports whether the tools belong to several servers. Tools of one server
// often take the same arguments, such as those to create and to delete.
func severalServers(group []definition) bool {
	return slices.ContainsFunc(group, func(d definition) bool { return d.Server != group[0].Server })
}

func (l similarity) newFinding(group []definition) Finding {
	f := Finding{Kind: l.kind, Severity: Note, Where: group[0].Name}
	for _, tool := range group {
		f.Tools = append(f.Tools, tool.Name)
	}
	f.What = fmt.Sprintf("%s and %s %s: a model may take one for the other", printable(f.Tools[0]), otherNames(f.Tools[1:]), l.description)
	f.Fix = "hide those that you do not need with --deny, or tell the server's author"
	return f
}

// otherNames returns the only name, or how many there are.
func otherNames(names []string) string {
	if len(names) == 1 {
		return printable(names[0])
	}
	return fmt.Sprintf("%d other tools", len(names))
}

func normalizedName(d definition) string {
	return strings.NewReplacer("_", "", "-", "", ".", "", " ", "").Replace(strings.ToLower(d.OriginalName))
}

// canonicalSchema returns the schema of a tool's arguments independent of the order of its
// members, or "" if it is too short to compare.
func canonicalSchema(d definition) string {
	text, err := json.Marshal(d.schemas[inputMember])
	if err != nil || len(text) < minSchema {
		return ""
	}
	return string(text)
}
