package render

import "fmt"

// Context is what a model is sent next, and how much of its context that takes.
type Context struct {
	Parts  []ContextPart
	Bytes  int64
	Tokens int64 // estimated
	Model  string
	Limit  int64 // tokens that the model takes; 0 where nobody knows
}

// ContextPart is a part of what is sent.
type ContextPart struct {
	Kind   string
	Name   string // a name, a path, or some words
	Bytes  int64
	Tokens int64 // estimated
}

// Context returns what is sent as a table, its sum below.
func (s Style) Context(c Context) string {
	rows := make([][]string, 0, len(c.Parts)+1)
	for _, p := range c.Parts {
		rows = append(rows, []string{p.Kind, p.Name, number(p.Bytes), number(p.Tokens)})
	}
	rows = append(rows, []string{"in all", "", number(c.Bytes), number(c.Tokens)})
	head := []string{"PART", "", "BYTES", "TOKENS"}
	head, rows = s.lighter(head, rows, "BYTES") // tokens are what there are few of
	text := s.Table(head, rows)
	if c.Limit > 0 {
		return text + fmt.Sprintf("\nAbout %d %% of the %s tokens that %s takes.\n", 100*c.Tokens/c.Limit, number(c.Limit), c.Model)
	}
	return text + fmt.Sprintf("\nHow much %s takes is not known. Set context_limit to be told.\n", c.Model)
}
