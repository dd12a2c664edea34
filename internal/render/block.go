package render

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"ikigai"
	"ikigai/internal/safetext"
	"ikigai/internal/transcript"
)

// Block returns b as text that ends with a newline, or "" if s does not show
// blocks of its kind. Empty lines between blocks are those of a Page.
func (s Style) Block(b transcript.Block) string {
	if b.Folded {
		return s.stamp(b) + s.side(b) + s.damage(b)
	}
	text := s.body(b) + s.damage(b)
	if text == "" {
		return s.stamp(b)
	}
	if b.Interaction != ikigai.Main && b.Interaction != "" {
		name := s.paint(faint, "["+line(b.Interaction)+"]") + " "
		text = name + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n"+name) + "\n"
	}
	return s.stamp(b) + text
}

// damage says that what is shown is not all.
func (s Style) damage(b transcript.Block) string {
	if b.Damage == "" {
		return ""
	}
	return s.prose("  ", "  ", faint, "(not all of this can be read: "+line(b.Damage)+")")
}

// stamp returns the line that says which event a block shows, if s asks for it.
func (s Style) stamp(b transcript.Block) string {
	if !s.Verbose || b.Kind == transcript.Notice || b.Kind == transcript.End {
		return ""
	}
	at := s.in(b.Time.Time()).Format("15:04:05")
	return s.paint(faint, fmt.Sprintf("#%d %s %s", b.Seq, at, line(string(b.Kind)))) + "\n"
}

func (s Style) body(b transcript.Block) string {
	switch b.Kind {
	case ikigai.KindUser:
		return s.statement(b)
	case ikigai.KindAssistant:
		return s.answer(b)
	case ikigai.KindThinking:
		return s.thinking(b.Text)
	case ikigai.KindToolCall:
		return s.call(b)
	case ikigai.KindToolResult:
		return s.result(b)
	case ikigai.KindChange:
		return s.change(b)
	case ikigai.KindApproval:
		return s.approval(b)
	case ikigai.KindInterrupted:
		return s.interrupted(b)
	case ikigai.KindError:
		return s.failure(b)
	case transcript.Notice, ikigai.KindQuarantine, ikigai.KindFallback:
		return s.alert(b.Text)
	case ikigai.KindSession:
		return s.session(b)
	case ikigai.KindUsage:
		return s.usage(b)
	case ikigai.KindSystem, ikigai.KindTools, ikigai.KindRequest:
		return s.record(b)
	case ikigai.KindTrust:
		return s.trust(b)
	case ikigai.KindUndo:
		return s.undo(b)
	case ikigai.KindRewind, ikigai.KindClear, ikigai.KindFork:
		return s.travel(b)
	case ikigai.KindInteraction:
		return s.begins(b)
	case transcript.End:
		return s.ends(b)
	case ikigai.KindTitle, ikigai.KindGoal, ikigai.KindObjective:
		return s.objective(b)
	case ikigai.KindFeedback:
		return s.feedback(b)
	case ikigai.KindProjection:
		return s.projection(b)
	}
	return s.other(b)
}

// Notice is the block of something that the program has to say, in two
// sentences.
func Notice(text string) transcript.Block {
	return transcript.Block{Kind: transcript.Notice, Interaction: ikigai.Main, Text: text}
}

func (s Style) statement(b transcript.Block) string {
	mark, how := userMark, strong
	switch d, _ := b.Body.(ikigai.MessageData); d.By {
	case ikigai.ByShell:
		if b.Folded {
			return s.remark("told the model", "$ "+typedCommand(b.Text), nil)
		}
	case ikigai.ByLoop:
		how = faint // the program asks for the answer in another form
	case ikigai.BySteer:
		mark = steerMark
	}
	said := s
	said.Compact = s.FoldSaid
	return said.folded(s.paint(accent, s.glyph(mark))+" ", "  ", how, said.read(safetext.Terminal(b.Text))) + s.parts(b)
}

// typedCommand returns the command that the model is told of in a text, behind a prompt
// and before its output.
func typedCommand(text string) string {
	_, command, _ := strings.Cut(text, "\n$ ")
	command, _, _ = strings.Cut(command, "\n\nIts output:\n")
	return line(command)
}

func (s Style) answer(b transcript.Block) string {
	return s.rendered(safetext.Terminal(b.Text)) + s.parts(b)
}

func (s Style) thinking(text string) string {
	in := s.thinker()
	return s.folded(in.first, in.rest, in.how, s.read(safetext.Terminal(text)))
}

// thinker returns what puts the model's reasoning apart from its answer.
func (s Style) thinker() indenter {
	return indenter{style: s, how: faint, first: s.paint(faint, s.glyph(thinkMark)) + " ", rest: "  "}
}

func (s Style) interrupted(b transcript.Block) string {
	d, _ := b.Body.(ikigai.InterruptedData)
	thinking, answer := "", s.rendered(safetext.Terminal(b.Text))
	if d.Thinking != "" {
		thinking = s.thinking(d.Thinking)
	}
	if thinking != "" && answer != "" {
		thinking += "\n"
	}
	return thinking + answer + s.interruption(d)
}

// interruption is the line below what came of a reply. That the person stopped
// it, or what the vendor's error was, is said by the error after it.
func (s Style) interruption(d ikigai.InterruptedData) string {
	mark := s.glyph(ellipsis)
	switch d.Reason {
	case "cancelled":
	case "crash":
		mark += " interrupted (crash)"
	case "unfinished":
		mark += " not finished: the program that showed this is still at it, or was ended from outside"
	default:
		mark += " broken off"
	}
	return s.paint(warn, mark) + "\n"
}

func (s Style) failure(b transcript.Block) string {
	d, _ := b.Body.(ikigai.ErrorData)
	text := strings.TrimRight(b.Text, "\n")
	if text == "" {
		text = "Something failed: " + cmp.Or(string(d.Kind), "it is not said what")
	}
	text = safetext.Terminal(text)
	if d.Status > 0 {
		text += fmt.Sprintf(" (HTTP %d)", d.Status)
	}
	return s.prose(s.paint(bad, s.glyph(failMark))+" ", "  ", plain, text)
}

func (s Style) alert(text string) string {
	return s.prose(s.paint(warn, s.glyph(alertMark))+" ", "  ", plain, safetext.Terminal(text))
}

func (s Style) change(b transcript.Block) string {
	d, _ := b.Body.(transcript.Change)
	path := d.Path
	if path == "" {
		path = b.Text
	}
	what := "changes " + line(path)
	switch {
	case d.Noticed:
		what = noticed(d.ChangeData, line(path))
	case !d.Existed && d.Path != "":
		what = "creates " + line(path)
	case d.NotKept != "":
		what += ", whose content was not kept: " + line(d.NotKept)
	}
	return s.named(d.Of, b.Text) + "  " + s.paint(faint, what) + "\n"
}

// noticed says what was found to have happened to a file. Of no single one the event's
// own text does, which stands for a path then.
func noticed(d ikigai.ChangeData, path string) string {
	switch {
	case d.Unrecorded != "":
		return path
	case d.After != nil && !d.After.Exists:
		path = "deleted " + path
	case !d.Existed:
		return "created " + path
	default:
		path = "changed " + path
	}
	if d.NotKept != "" {
		path += ", whose content before was not kept: " + line(d.NotKept)
	}
	return path
}

func (s Style) approval(b transcript.Block) string {
	d, _ := b.Body.(transcript.Approval)
	reason := ""
	if d.Reason != "" {
		reason = ": " + line(d.Reason)
	}
	if d.Allowed {
		return s.named(d.Of, b.Text) + s.prose("  ", "  ", faint, "allowed"+reason)
	}
	text := s.named(d.Of, b.Text)
	if d.Call != nil && !d.Call.Asked {
		text += s.Late(*d.Call)
	}
	return text + s.prose("  "+s.paint(bad, s.glyph(failMark))+" ", "    ", plain, "denied"+reason)
}

// named names the call that something belongs to, unless the call is right
// above or not known.
func (s Style) named(of transcript.Of, summary string) string {
	if of.Call == nil || of.Follows {
		return ""
	}
	return s.paint(accent, s.glyph(resultMark)) + " " + s.again(*of.Call, summary) + "\n"
}

func (s Style) session(b transcript.Block) string {
	d, _ := b.Body.(ikigai.SessionData)
	dir := d.Dir
	if dir == "" {
		dir = b.Text
	}
	text := s.paint(strong, "session "+line(string(b.Session)))
	details := s.join(line(dir), line(d.Model), s.in(b.Time.Time()).Format("2006-01-02 15:04"))
	return text + s.paint(faint, s.glyph(separator)+details) + "\n"
}

// other shows kinds that this version knows nothing of, and those whose text
// says it all.
func (s Style) other(b transcript.Block) string {
	kind := line(string(b.Kind))
	if kind == "" {
		kind = "event without a kind"
	}
	text := s.paint(faint, kind)
	content := safetext.Terminal(b.Text)
	switch {
	case strings.Contains(strings.TrimSuffix(content, "\n"), "\n"):
		text += "\n" + s.behind("  ", "  ", plain, content)
	case content != "":
		text += "  " + ended(content)
	default:
		text += "\n"
	}
	if data, ok := b.Body.(json.RawMessage); ok && s.Verbose {
		text += s.behind("  ", "  ", faint, safetext.Terminal(pretty(data)))
	}
	return text
}

// parts names the images and files that go with a message.
func (s Style) parts(b transcript.Block) string {
	d, _ := b.Body.(ikigai.MessageData)
	var text strings.Builder
	for _, p := range d.Parts {
		text.WriteString(s.part(p))
	}
	return text.String()
}

func (s Style) part(p ikigai.Part) string {
	if p.Type == ikigai.PartText {
		return s.folded("  ", "  ", plain, safetext.Terminal(p.Text))
	}
	words := []string{line(string(p.Type)), line(p.Name), line(p.Media)}
	if p.Size > 0 {
		words = append(words, Bytes(p.Size))
	}
	words = slices.DeleteFunc(words, func(w string) bool { return w == "" })
	return "  " + s.paint(faint, "["+strings.Join(words, " ")+"]") + "\n"
}

// ended returns text with a newline at its end, unless it is empty.
func ended(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

// join joins those of the words that are not empty.
func (s Style) join(words ...string) string {
	var b strings.Builder
	for _, w := range words {
		if w == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteString(s.glyph(separator))
		}
		b.WriteString(w)
	}
	return b.String()
}
