package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"ikigai"
	"ikigai/internal/transcript"
)

// Limits beyond which output is folded.
const (
	foldLines = 24
	foldBytes = 4 << 10
)

// long reports whether a text is to be folded, and says how much it is.
func long(text string) (bool, string) {
	lines := strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1
	size := fmt.Sprintf("%d bytes", len(text))
	if len(text) >= 10<<10 {
		size = fmt.Sprintf("%d KB", len(text)>>10)
	}
	return lines > foldLines || len(text) > foldBytes, fmt.Sprintf("%s lines, %s", number(int64(lines)), size)
}

// value is a named value of a call or result. A short one is put on one line.
type value struct {
	name, text string
	short      bool
}

const shortValue = 100

func newValue(f transcript.Field) value {
	text, ok := f.Text()
	if !ok {
		text = indented(f.Value)
	}
	return value{f.Name, text, len(text) <= shortValue && !strings.ContainsAny(text, "\n\r")}
}

// params returns the arguments of a call.
func params(c transcript.Call) (values []value) {
	if c.Params == nil && strings.TrimSpace(c.Arguments) != "" {
		return []value{{name: "arguments", text: c.Arguments}}
	}
	for _, f := range c.Params {
		values = append(values, newValue(f))
	}
	return values
}

// output returns what a result says: the text that counts first, without a
// name.
func output(r transcript.Result) (values []value) {
	if r.Fields == nil {
		text := r.Output
		if json.Valid([]byte(text)) {
			text = indented([]byte(text))
		}
		return []value{{text: text}}
	}
	for _, f := range r.Fields {
		v := newValue(f)
		if _, isText := f.Text(); isText && (f.Name == "output" || f.Name == "stdout") {
			v.name, v.short = "", false
		}
		if v.text != "" || v.name != "" && f.Name != "stderr" {
			values = append(values, v)
		}
	}
	return values
}

// indented returns JSON text over several lines if it is long.
func indented(raw []byte) string {
	var b bytes.Buffer
	if len(raw) <= shortValue || json.Indent(&b, raw, "", "  ") != nil {
		return string(raw)
	}
	return b.String()
}

// remark returns what happened beside the conversation as a sentence, and ""
// for what readers of an export do not want to know.
func remark(b transcript.Block) string {
	switch d := b.Body.(type) {
	case transcript.Change:
		if d.Unrecorded != "" {
			return "A call " + b.Text
		}
		if d.Existed {
			return "A file is about to be changed: " + d.Path
		}
		return "A file is about to be created: " + d.Path
	case transcript.Approval:
		if d.Allowed {
			return "The call of " + d.Name + " was allowed. " + d.Reason
		}
		return "The call of " + d.Name + " was denied. " + d.Reason
	case ikigai.RequestData, ikigai.UsageData:
		return ""
	}
	switch b.Kind {
	case ikigai.KindInteraction:
		return "" // its part says so
	case transcript.End:
		return sideEnd(b)
	case ikigai.KindTitle, ikigai.KindGoal, ikigai.KindObjective:
		return strings.ToUpper(string(b.Kind[:1])) + string(b.Kind[1:]) + ": " + b.Text
	case ikigai.KindFeedback:
		return fed(b)
	case ikigai.KindProjection:
		d, _ := b.Body.(transcript.Projection)
		return projected(d.ProjectionData)
	case ikigai.KindQuarantine, ikigai.KindFallback:
		return b.Text
	case ikigai.KindMark:
		return "Mark: " + b.Text
	case ikigai.KindClear:
		return cleared
	case ikigai.KindRewind:
		return rewound(body[ikigai.RewindData](b))
	case ikigai.KindFork:
		return forked(body[ikigai.ForkData](b))
	}
	return strings.TrimSpace(string(b.Kind) + ": " + b.Text)
}

// body returns the data of a block, as far as it can be read.
func body[T any](b transcript.Block) (d T) {
	switch raw := b.Body.(type) {
	case T:
		return raw
	case json.RawMessage:
		_ = json.Unmarshal(raw, &d) // what cannot be read stays empty
	}
	return d
}

const cleared = "The conversation begins anew. What stands before is no longer sent to the model."

func rewound(d ikigai.RewindData) string {
	place := fmt.Sprintf("event %d", d.To)
	if d.Mark != "" {
		place += " (mark " + d.Mark + ")"
	}
	return "The conversation goes on from " + place + ". What came after it is no longer sent to the model."
}

func forked(d ikigai.ForkData) string {
	text := fmt.Sprintf("Here a fork begins: what stands before is shared with session %s up to event %d.", d.Session, d.Seq)
	if d.Reason != "" {
		text += " Reason: " + d.Reason
	}
	return text
}

// isStatement reports whether a block is what the person said.
func isStatement(b transcript.Block) bool {
	return b.Kind == ikigai.KindUser && b.Interaction == ikigai.Main && body[ikigai.MessageData](b).By == ""
}

// firstLine returns the first line of a statement, cut to a title.
func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	runes := []rune(strings.TrimSpace(line))
	if len(runes) > 80 {
		return string(runes[:79]) + "…"
	}
	return string(runes)
}

func partName(p ikigai.Part) string {
	return strings.TrimSpace(strings.Join([]string{string(p.Type), p.Media, p.Name}, " "))
}

// tooLittle tells that the output limit cut a reply off.
const tooLittle = "The reply was cut off at the limit of its length."

const mayHaveRun = "The log has no result of this call: it may have run, in whole or in part."
