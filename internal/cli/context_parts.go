package cli

import (
	"fmt"
	"path/filepath"

	"ikigai"
	"ikigai/internal/history"
	"ikigai/internal/render"
)

// contextLine is what is sent in a session, in the output of --json.
type contextLine struct {
	Session ikigai.ID     `json:"session,omitempty"` // none of a new one
	Dir     string        `json:"dir"`
	Model   string        `json:"model,omitempty"`
	Tokens  int64         `json:"tokens"`          // estimated
	Limit   int64         `json:"limit,omitempty"` // tokens that the model takes, where that is known
	Parts   []contextPart `json:"parts"`
}

// contextPart is a part of what is sent. Tokens are estimated.
type contextPart struct {
	Part       string                 `json:"part"` // prompt, environment, instructions, skill, tools, tool, summary, statement, trimmed
	Within     bool                   `json:"within,omitempty"`
	Name       string                 `json:"name,omitempty"` // of a skill or tool; the words of a statement
	Path       string                 `json:"path,omitempty"`
	Seq        ikigai.Seq             `json:"seq,omitempty"`
	Statements int                    `json:"statements,omitempty"` // that a summary stands for
	Messages   int                    `json:"messages,omitempty"`
	Trimmed    []ikigai.TrimmedResult `json:"-"`
	Bytes      int64                  `json:"bytes"`
	Tokens     int64                  `json:"tokens"`
}

func (a *app) contextLine(s *sending) contextLine {
	shape := s.shape()
	return contextLine{Session: s.id, Dir: s.dir, Model: s.model, Tokens: shape.Tokens, Limit: a.limit(s), Parts: s.parts(shape)}
}

// parts returns what is sent, in its order. Those Within are counted in the one
// before them that is not.
func (s *sending) parts(shape history.Shape) []contextPart {
	all := append(s.promptParts(), s.toolParts(shape.Tools)...)
	if shape.Summary.Bytes > 0 {
		all = append(all, contextPart{Part: "summary", Seq: shape.Summary.Seq, Statements: shape.Summary.Statements, Bytes: shape.Summary.Bytes})
	}
	for _, st := range shape.Statements {
		all = append(all, contextPart{Part: "statement", Seq: st.Seq, Name: s.statements[st.Seq], Messages: st.Messages, Bytes: st.Bytes})
		for _, t := range st.Trimmed {
			all = append(all, contextPart{Part: "trimmed", Within: true, Seq: t.Seq, Path: t.File, Bytes: int64(t.Keep)})
		}
	}
	for i := range all {
		all[i].Tokens = int64(float64(all[i].Bytes) / shape.PerToken)
	}
	return all
}

// promptParts returns what the system prompt consists of.
func (s *sending) promptParts() []contextPart {
	d := s.prompt.told
	all := []contextPart{{Part: "prompt", Bytes: int64(len(s.prompt.text))}}
	if d.Environment > 0 {
		all = append(all, contextPart{Part: "environment", Bytes: int64(d.Environment)})
	}
	for _, f := range d.Instructions {
		all = append(all, contextPart{Part: "instructions", Path: f.Path, Bytes: int64(f.Told)})
	}
	for _, f := range d.Skills {
		all = append(all, contextPart{Part: "skill", Name: f.Name, Path: f.Path, Bytes: int64(f.Told)})
	}
	for _, p := range all[1:] {
		all[0].Bytes -= p.Bytes
	}
	return all
}

// toolParts returns the tools, which take so many bytes together.
func (s *sending) toolParts(bytes int64) []contextPart {
	list := s.line.Request().Tools
	all := []contextPart{{Part: "tools", Name: render.Count(len(list), "tool"), Bytes: bytes}}
	for _, t := range list {
		all = append(all, contextPart{Part: "tool", Within: true, Name: t.Name, Bytes: int64(len(t.Name) + len(t.Description) + len(t.Schema))})
	}
	return all
}

// words says in a few words which part of its kind p is.
func (p contextPart) words(dir string) string {
	switch p.Part {
	case "instructions", "trimmed":
		if p.Path == "" {
			return fmt.Sprintf("event %d", p.Seq)
		}
		if below, err := filepath.Rel(dir, p.Path); err == nil && filepath.IsLocal(below) {
			return below
		}
		return p.Path
	case "summary":
		return "of " + render.Count(p.Statements, "statement")
	case "statement":
		words := fmt.Sprintf("%d %s", p.Seq, p.Name)
		if p.Seq == 0 {
			words = "the end of an earlier one"
		}
		return words + " (" + render.Count(p.Messages, "message") + ")"
	}
	return p.Name
}
