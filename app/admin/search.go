package admin

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// Search is a search for tools.
type Search struct {
	Query   string
	Servers []string // names or ids; none means all
	Limit   int
	Explain bool
}

// foundTool is the part of a tool in the answer to a search that is printed.
type foundTool struct {
	Name        string       `json:"name"`
	Score       float64      `json:"score"`
	Signature   string       `json:"signature"`
	Description string       `json:"description"`
	Explanation *explanation `json:"explanation"`
}

// explanation says where a score comes from.
type explanation struct {
	Legs  map[string]float64 `json:"legs"`
	Terms []struct {
		Word   string  `json:"word"`
		Term   string  `json:"term"`
		Match  string  `json:"match"`
		Score  float64 `json:"score"`
		Fields []struct {
			Field string  `json:"field"`
			Score float64 `json:"score"`
		} `json:"fields"`
	} `json:"terms"`
}

// SearchTools prints the best tools for a query: as a table, with the reasons below it if
// they are explained, or as the JSON of the service.
func (c *Client) SearchTools(ctx context.Context, s Search, asJSON bool) error {
	body, err := json.Marshal(struct {
		Query        string   `json:"query"`
		ServerFilter []string `json:"server_filter,omitempty"`
		Limit        int      `json:"limit"`
		Explain      bool     `json:"explain,omitempty"`
	}{s.Query, s.Servers, s.Limit, s.Explain})
	if err != nil {
		return err
	}
	raw, err := c.request(ctx, http.MethodPost, "/search", body)
	if err != nil || asJSON {
		if err == nil {
			err = c.print(raw)
		}
		return err
	}
	var found struct {
		Tools *[]foundTool `json:"tools"`
	}
	if err := json.Unmarshal(raw, &found); err != nil || found.Tools == nil {
		return c.notTheService(http.StatusOK)
	}
	if err := c.printFound(*found.Tools); err != nil {
		return err
	}
	for _, tool := range *found.Tools {
		if tool.Explanation == nil {
			continue
		}
		if err := c.print([]byte("\n" + tool.reasons())); err != nil {
			return err
		}
	}
	return nil
}

// printFound prints the tools, with what they do, or else how they are called, in what is
// left of the width of the terminal.
func (c *Client) printFound(tools []foundTool) error {
	const others = len("  SCORE  …")
	width := len("NAME")
	for _, tool := range tools {
		width = max(width, len([]rune(Escape(tool.Name))))
	}
	left := maxCell
	if c.options.Width > 0 {
		left = max(c.options.Width-width-others, minCell)
	}
	var rows [][]string
	for _, tool := range tools {
		text := tool.Description
		if text == "" {
			text = tool.Signature
		}
		rows = append(rows, []string{Escape(tool.Name), fmt.Sprintf("%.2f", tool.Score), firstLine(text, left)})
	}
	return c.printTable([]string{"NAME", "SCORE", "DESCRIPTION"}, rows)
}

// minCell is the least that is shown of a description, in characters.
const minCell = 20

// reasons returns what a tool's score consists of.
func (f foundTool) reasons() string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s  %.2f", Escape(f.Name), f.Score)
	for _, leg := range []string{"lexical", "dense", "learned"} {
		score, has := f.Explanation.Legs[leg]
		if !has {
			continue
		}
		fmt.Fprintf(&out, "\n  %s  %.2f", leg, score)
		if leg == "lexical" {
			f.Explanation.printTerms(&out)
		}
	}
	return out.String()
}

// printTerms prints what each word of the query gave.
func (e *explanation) printTerms(out *strings.Builder) {
	for _, t := range e.Terms {
		fmt.Fprintf(out, "\n    %s", Escape(t.Word))
		if t.Match != "exact" {
			fmt.Fprintf(out, " (%s: %s)", Escape(t.Match), Escape(t.Term))
		}
		fmt.Fprintf(out, "  %.2f:", t.Score)
		for i, field := range t.Fields {
			if i > 0 {
				out.WriteByte(',')
			}
			fmt.Fprintf(out, " %s %.2f", Escape(field.Field), field.Score)
		}
	}
}
