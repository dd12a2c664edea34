package render

import (
	"strings"

	"ikigai/internal/safetext"
	"ikigai/internal/transcript"
)

// form is how the calls and results of a tool are shown. The zero form is for
// those that nothing more is known of: external tools, those of MCP servers and
// of other versions. What is left nil is shown as for those.
type form struct {
	// call returns what stands in the first line of a call behind the tool's
	// name, and the lines below it. It shows all parameters. It returns false
	// for parameters of another form than the tool's.
	call func(s Style, params []transcript.Field) (head, below string, ok bool)
	// field shows a member of a successful result, and returns false for one
	// that is shown as usual.
	field func(v *resultView, r transcript.Result, f transcript.Field) bool
	// late leaves the lines below a call to its result, which may show them in
	// another way. They are not lost where there is none; see Style.Late.
	late bool
	// factsFirst puts what a result says in few words above its text.
	factsFirst bool
}

// formOf returns the form of a tool.
func formOf(tool string) form {
	switch tool {
	case "bash":
		return form{call: commandCall, field: commandField}
	case "job_output", "job_stop":
		return form{field: commandField}
	case "file_edit":
		return form{call: editCall, field: changeField, late: true}
	case "file_write":
		return form{call: writeCall, field: changeField, late: true}
	case "file_read", "grep", "glob":
		return form{field: summedUp, factsFirst: true}
	case "delegate_tasks":
		return form{call: tasksCall, field: tasksField}
	case "web_fetch":
		return form{call: addressCall, field: summedUp, factsFirst: true}
	}
	return form{}
}

// take returns the parameter of that name, a text, and the others. It returns
// false if there is no such text, or several.
func take(params []transcript.Field, name string) (text string, rest []transcript.Field, ok bool) {
	for _, p := range params {
		if p.Name != name {
			rest = append(rest, p)
			continue
		}
		value, isText := p.Text()
		if ok || !isText {
			return "", nil, false
		}
		text, ok = value, true
	}
	return text, rest, ok
}

// inlined returns those of the parameters that fit in a line.
func (s Style) inlined(params []transcript.Field) string {
	var words []string
	for _, f := range params {
		if value, ok := inline(f); ok {
			words = append(words, s.paint(faint, line(f.Name)+"=")+value)
		}
	}
	return strings.Join(words, " ")
}

// below returns the parameters that do not fit in a line.
func (s Style) below(params []transcript.Field) string {
	var b strings.Builder
	for _, f := range params {
		if _, ok := inline(f); !ok {
			b.WriteString(s.labelled(f))
		}
	}
	return b.String()
}

// beside puts parts of a first line next to each other.
func beside(parts ...string) string {
	var b strings.Builder
	for _, p := range parts {
		if p != "" && b.Len() > 0 {
			b.WriteString("  ")
		}
		b.WriteString(p)
	}
	return b.String()
}

// addressCall shows a URL as it is.
func addressCall(s Style, params []transcript.Field) (head, below string, ok bool) {
	address, rest, ok := take(params, "url")
	return beside(line(address), s.inlined(rest)), s.below(rest), ok
}

// summedUp leaves out a member that the summary tells.
func summedUp(v *resultView, _ transcript.Result, f transcript.Field) bool {
	text, ok := f.Text()
	switch {
	case !ok || f.Name == "output":
		return false
	case text != "" && strings.Contains(v.summary, text):
		return true
	case f.Name == "url":
		v.facts = append(v.facts, line(text))
		return true
	}
	return false
}

// writeCall shows how much is written, and what.
func writeCall(s Style, params []transcript.Field) (head, below string, ok bool) {
	content, rest, ok := take(params, "content")
	if !ok || !strings.Contains(content, "\n") {
		return "", "", false
	}
	lines := strings.Count(strings.TrimSuffix(content, "\n"), "\n") + 1
	head = beside(s.inlined(rest), s.paint(faint, s.join(count(lines, "line"), Bytes(int64(len(content))))))
	return head, s.below(rest) + s.folded("    ", "    ", plain, safetext.Terminal(content)), true
}
