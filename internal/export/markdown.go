package export

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"strings"

	"ikigai"
	"ikigai/internal/transcript"
)

// Markdown writes a session as CommonMark with folded parts (<details>), for
// reading where Markdown is shown. Answers stay the Markdown they are, less
// HTML in them. The error is that of w or of events.
func Markdown(w io.Writer, events Events, o Options) error {
	out := bufio.NewWriterSize(w, 64<<10)
	m := markdown{printer: printer{w: out}, o: &o}
	m.head()
	err := each(events, m.totals.add, m.block)
	if err == nil {
		m.foot()
		err = m.err
	}
	if err != nil {
		return err
	}
	return out.Flush()
}

type markdown struct {
	printer
	o      *Options
	totals totals
	side   string // the side interaction whose folded part is open
}

func (m *markdown) head() {
	s := m.o.Session
	title := m.o.line(s.Title)
	if title == "" {
		title = "Session " + string(s.ID)
	}
	m.print("# ", m.inline(title), "\n\n")
	m.item("Session", string(s.ID))
	m.item("Directory", s.Dir)
	if s.Parent != "" {
		m.item("Fork of", fmt.Sprintf("%s at event %d", s.Parent, s.Base))
	}
	if s.Created > 0 {
		m.item("Begun", m.o.time(s.Created, layoutDay))
	}
	m.item("Exported by", m.o.By)
}

func (m *markdown) foot() {
	m.endSide()
	m.print("\n---\n\n## In sum\n\n")
	for _, f := range m.totals.facts() {
		m.item(f.name, f.value)
	}
}

func (m *markdown) item(name, value string) {
	if value != "" {
		m.print("- ", name, ": ", m.inline(m.o.line(value)), "\n")
	}
}

func (m *markdown) block(b transcript.Block) error {
	switch b.Kind {
	case ikigai.KindInteraction, ikigai.KindRequest, ikigai.KindUsage: // of which nothing would be in the part
	default:
		m.interaction(b)
	}
	switch b.Kind {
	case ikigai.KindUser:
		m.statement(b)
	case ikigai.KindSystem:
		m.folded("System prompt", m.fence(b.Text))
	case ikigai.KindAssistant:
		m.print("\n", m.prose(b.Text), "\n")
		m.parts(b.Body)
	case ikigai.KindThinking:
		m.folded("Thinking", m.quote(b.Text))
	case ikigai.KindToolCall:
		m.call(b)
	case ikigai.KindToolResult:
		m.result(b)
	case ikigai.KindInterrupted:
		m.interrupted(b)
	case ikigai.KindError:
		m.remark("Error: " + b.Text)
	case ikigai.KindTools:
		m.tools(b)
	case ikigai.KindSession:
		d, _ := b.Body.(ikigai.SessionData)
		if d.Model != "" {
			m.item("Model", d.Model)
		}
	case ikigai.KindUsage:
		if d, _ := b.Body.(ikigai.UsageData); d.Stop == ikigai.StopLength {
			m.remark(tooLittle)
		}
	default:
		m.remark(remark(b))
	}
	if b.Damage != "" {
		m.remark("Part of this event could not be read: " + b.Damage)
	}
	return m.err
}

// interaction folds what stands beside the conversation.
func (m *markdown) interaction(b transcript.Block) {
	side := sideOf(b)
	if side == m.side {
		return
	}
	m.endSide()
	if side != "" {
		m.print("\n<details><summary>", html.EscapeString(m.o.line(sideTitle(b))), "</summary>\n")
		m.side = side
	}
}

// endSide ends the folded part that is open.
func (m *markdown) endSide() {
	if m.side != "" {
		m.print("\n</details>\n")
		m.side = ""
	}
}

func (m *markdown) statement(b transcript.Block) {
	if isStatement(b) {
		m.print("\n## ", fmt.Sprint(b.Statement), ". ", m.inline(m.o.line(firstLine(b.Text))), "\n\n*", m.o.time(b.Time, layoutDay), "*\n")
	}
	m.print("\n", m.quote(b.Text), "\n")
	m.parts(b.Body)
}

func (m *markdown) call(b transcript.Block) {
	c, _ := b.Body.(transcript.Call)
	m.print("\n**", m.inline(m.o.line(c.Name)), "**")
	values := params(c)
	separator := " "
	for _, v := range values {
		if v.short {
			m.print(separator, m.code(v.name), " ", m.code(v.text))
			separator = ", "
		}
	}
	m.print("\n")
	for _, v := range values {
		if !v.short {
			m.output(v)
		}
	}
	if c.MayHaveRun {
		m.remark(mayHaveRun)
	}
}

func (m *markdown) result(b transcript.Block) {
	r, _ := b.Body.(transcript.Result)
	if !r.Follows {
		name := r.Name
		if r.Call != nil {
			name = r.Call.Name
		}
		m.print("\nResult of **", m.inline(m.o.line(name)), "**, ", m.code(r.ToolCallID), "\n")
	}
	if !r.Success {
		m.print("\n**Failed.**\n")
	}
	var facts []string
	for _, v := range output(r) {
		if v.short {
			facts = append(facts, m.code(v.name)+" "+m.code(v.text))
		} else {
			m.output(v)
		}
	}
	if len(facts) > 0 {
		m.print("\n", strings.Join(facts, ", "), "\n")
	}
	m.list(r.Parts)
	if r.Note != "" {
		m.print("\nNote to the model:\n\n", m.fence(r.Note), "\n")
	}
}

// output shows a value in a block of its own.
func (m *markdown) output(v value) {
	if strings.TrimSpace(v.text) == "" && v.name == "" {
		return
	}
	folds, size := long(v.text)
	if v.name != "" && !folds {
		m.print("\n", m.code(v.name), ":\n")
	}
	if !folds {
		m.print("\n", m.fence(v.text), "\n")
		return
	}
	name := v.name
	if name == "" {
		name = "Output"
	}
	m.folded(name+" ("+size+")", m.fence(v.text))
}

func (m *markdown) folded(summary, body string) {
	m.print("\n<details><summary>", html.EscapeString(m.o.line(summary)), "</summary>\n\n", body, "\n\n</details>\n")
}

func (m *markdown) interrupted(b transcript.Block) {
	d, _ := b.Body.(ikigai.InterruptedData)
	if d.Thinking != "" {
		m.folded("Thinking", m.quote(d.Thinking))
	}
	if b.Text != "" {
		m.print("\n", m.prose(b.Text), "\n")
	}
	m.remark("The reply was interrupted: " + d.Reason)
}

func (m *markdown) tools(b transcript.Block) {
	d, _ := b.Body.(ikigai.ToolsData)
	names := make([]string, len(d.Tools))
	for i, t := range d.Tools {
		names[i] = m.code(t.Name)
	}
	m.print("\n*Tools from here on:* ", strings.Join(names, ", "), "\n")
}

func (m *markdown) remark(text string) {
	if text = m.o.line(text); text != "" {
		m.print("\n*", m.inline(text), "*\n")
	}
}

func (m *markdown) parts(body any) {
	d, _ := body.(ikigai.MessageData)
	m.list(d.Parts)
}

func (m *markdown) list(parts []ikigai.Part) {
	for _, p := range parts {
		if p.Type == ikigai.PartText {
			m.print("\n", m.quote(p.Text), "\n")
			continue
		}
		m.print("\n*[", m.inline(m.o.line(partName(p))), "]*\n")
	}
}

// inline returns a line of text in which nothing is markup.
func (m *markdown) inline(line string) string {
	var b strings.Builder
	for _, r := range line {
		if strings.ContainsRune("\\`*_[]<>~|&#$", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// code returns text as code within a line.
func (m *markdown) code(text string) string {
	text = m.o.line(text)
	if text == "" {
		return "` `"
	}
	ticks := strings.Repeat("`", longestRun(text, '`')+1)
	if text[0] == '`' || text[len(text)-1] == '`' {
		text = " " + text + " "
	}
	return ticks + text + ticks
}

// fence returns text as a block of code that nothing in it ends.
func (m *markdown) fence(text string) string {
	text = strings.TrimSuffix(m.o.text(text), "\n")
	ticks := strings.Repeat("`", max(3, longestRun(text, '`')+1))
	return ticks + "\n" + text + "\n" + ticks
}

// quote returns text that may be Markdown as a quotation.
func (m *markdown) quote(text string) string {
	safe, _ := m.safe(text)
	return quoted(safe)
}

// prose returns text that may be Markdown such that it ends where it ends and
// holds no HTML.
func (m *markdown) prose(text string) string {
	safe, contained := m.safe(text)
	if !contained {
		return quoted(safe) // whatever is open in a quotation ends with it
	}
	return safe
}

func (m *markdown) safe(text string) (safe string, contained bool) {
	return safeMarkdown(strings.TrimSpace(m.o.text(text)))
}

func quoted(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString("> ")
		b.WriteString(line)
	}
	return b.String()
}
