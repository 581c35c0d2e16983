package config

// Expansion is what came of one text.
type Expansion struct {
	Text    string
	Values  []string // the environment's values that were put in
	Missing []string // the names of the variables that are not set
}

// Text expands one text that stands in no file.
func (e *Expander) Text(text string) Expansion {
	out := expand(text, e.env)
	result := Expansion{Text: out.text, Values: out.used}
	for _, v := range out.missing {
		result.Missing = append(result.Missing, v.name)
	}
	return result
}
