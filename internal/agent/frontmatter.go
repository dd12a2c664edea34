package agent

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"ikigai"
)

// Frontmatter is the ResultFormat in which results are sent as text behind a
// line for each fact:
//
//	[command: git status]
//	[exit_code: 0]
//
//	On branch main
const Frontmatter = "frontmatter"

// maxFact is the most characters that are shown of a fact that a tool names.
const maxFact = 200

// frame gives the output of a result the form that ResultFormat asks for, and
// reports whether it has changed it. Failures stay JSON. The last result of a
// statement says that no more tools will run.
func (a *Agent) frame(d *ikigai.ToolResultData, r *ikigai.Result, last bool) bool {
	if a.ResultFormat != Frontmatter || r.Failed {
		return false
	}
	members, isObject := objectFields(d.Output)
	if !isObject && r.Front == nil {
		return false
	}
	body := d.Output
	if isObject {
		body, members = takeBody(members)
	}
	if r.Front != nil {
		members = chosen(r.Front, members)
	}
	if last {
		limit, _ := objectFields(addLimitReached("{}", a.MaxToolTurns))
		members = append(members, limit...)
	}
	d.Output = frontmatter(members, body)
	return true
}

// takeBody takes the text that a result is about out of its members: the
// output, or else the longest text.
func takeBody(members []field) (body string, rest []field) {
	at := -1
	for i, m := range members {
		text, ok := textOf(m.value)
		switch {
		case !ok:
		case m.name == "output" || m.name == "stdout":
			return text, slices.Delete(members, i, i+1)
		case at < 0 || len(text) > len(body):
			at, body = i, text
		}
	}
	if at >= 0 {
		members = slices.Delete(members, at, at+1)
	}
	return body, members
}

// chosen returns the facts that a tool names. Of the other members stays what a
// command said on its standard error, which is a second text and no fact.
func chosen(front []ikigai.Fact, members []field) []field {
	var all []field
	for _, f := range front {
		if text, ok := f.Value.(string); ok {
			f.Value = cutRunes(text, maxFact)
		}
		all = append(all, field{f.Name, json.RawMessage(encode(f.Value))})
	}
	for _, m := range members {
		text, ok := textOf(m.value)
		if ok && text != "" && m.name == "stderr" && !slices.ContainsFunc(front, func(f ikigai.Fact) bool { return f.Name == m.name }) {
			all = append(all, m)
		}
	}
	return all
}

func cutRunes(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most]) + "…"
}

// frontmatter returns facts and, below them, a text.
func frontmatter(facts []field, body string) string {
	var b strings.Builder
	for i, f := range facts {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString("[" + plainValue(f.name) + ": ")
		if text, ok := textOf(f.value); ok {
			b.WriteString(plainValue(text))
		} else {
			b.Write(f.value)
		}
		b.WriteByte(']')
	}
	if body == "" || len(facts) == 0 {
		return b.String() + body
	}
	return b.String() + "\n\n" + body
}

// plainValue returns text as it is where it stands in a line and cannot be
// taken for anything else, and as JSON otherwise.
func plainValue(text string) string {
	odd := text == "" || text[0] == '"' || strings.TrimSpace(text) != text || json.Valid([]byte(text)) ||
		strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError })
	if odd {
		return encode(text)
	}
	return text
}

// textOf returns the text that a value is.
func textOf(value json.RawMessage) (text string, ok bool) {
	if len(value) == 0 || value[0] != '"' {
		return "", false
	}
	return text, json.Unmarshal(value, &text) == nil
}
