package doctor

import "encoding/json"

// wholeSchema is the schema of a tool's arguments in one form, whatever the
// order of its members; "" if it is too short to mean anything.
func wholeSchema(d definition) string {
	text, err := json.Marshal(d.schemas[input])
	if err != nil || len(text) < minSchema {
		return ""
	}
	return string(text)
}
