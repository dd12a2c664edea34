package render

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"ikigai"
	"ikigai/internal/safetext"
	"ikigai/internal/transcript"
)

// result shows a tool's result whole: its text with real newlines, what else
// it says in a line below.
func (s Style) result(b transcript.Block) string {
	r, _ := b.Body.(transcript.Result)
	v := resultView{Style: s, summary: strings.TrimSpace(b.Text), tone: faint}
	if strings.TrimSpace(r.Report) == v.summary { // it is shown line by line
		v.summary, _, _ = strings.Cut(v.summary, "\n")
	}
	if r.Success {
		v.form = formOf(r.Name)
	}
	v.known(r)
	if v.asShown = s.asShown(r); v.asShown {
		v.facts = append(v.facts, "as shown")
	}
	if r.Call != nil && !r.Call.Denied && changesOf(r) == "" && !v.asShown && (r.Success || !r.Call.Asked) {
		v.WriteString(s.Late(*r.Call))
	}
	switch {
	case r.Fields != nil:
		v.fields(r)
	case json.Valid([]byte(r.Output)):
		v.text(pretty(json.RawMessage(r.Output)))
	default:
		v.text(r.Output)
	}
	if !r.Success && !v.failed {
		v.fail("The tool failed")
	}
	for _, p := range r.Parts {
		v.WriteString(s.part(p))
	}
	if r.Note != "" {
		v.WriteString(s.label("note to the model"))
		v.WriteString(s.folded("    ", "    ", plain, safetext.Terminal(r.Note)))
	}
	text := v.String()
	v.Reset()
	v.footer(r, text == "")
	if v.form.factsFirst {
		text = v.String() + text
	} else {
		text += v.String()
	}
	if text == "" || r.Follows {
		return text
	}
	return s.paint(accent, s.glyph(resultMark)) + " " + s.answered(r, b.Text) + "\n" + text
}

// answered names the call that a result answers when it does not stand right
// above it.
func (s Style) answered(r transcript.Result, summary string) string {
	if r.Call != nil {
		return s.again(*r.Call, summary)
	}
	name := r.Name
	if name == "" {
		name = "result"
	}
	return s.paint(strong, line(name)) + "  " + s.paint(faint, line(r.ToolCallID))
}

// resultView is a result as it is put together.
type resultView struct {
	strings.Builder
	Style
	form    form
	summary string   // in a few words, as the log has it
	told    bool     // what is shown says what the summary says
	failed  bool     // the failure is shown
	facts   []string // for the line below
	tone    role     // of that line

	asShown    bool // the person has seen what was done when they were asked about it
	reported   bool // the report is shown
	sameDenial bool // the approval shown before said that the call was denied
	noCode     bool // the harness's code says no more than the error's text
	stopped    bool // by the person, who needs no advice for that
}

// known notes what the person is told anyway.
func (v *resultView) known(r transcript.Result) {
	if v.Verbose {
		return
	}
	var failure, code string
	for _, f := range r.Fields {
		switch f.Name {
		case "error":
			failure, _ = f.Text()
		case "error_code":
			code, _ = f.Text()
		}
	}
	if strings.TrimSpace(failure) == "" {
		return
	}
	v.noCode = ofHarness(ikigai.ToolCode(code))
	v.stopped = ikigai.ToolCode(code) == ikigai.CodeCancelled
	if r.Call != nil && r.Call.Denied && ikigai.ToolCode(code) == ikigai.CodeDenied {
		v.sameDenial, v.failed, v.told = true, true, true
	}
}

// ofHarness reports whether c is a code that the harness gives, as opposed to
// one of a tool's own.
func ofHarness(c ikigai.ToolCode) bool {
	switch c {
	case ikigai.CodeToolNotFound, ikigai.CodeInvalidParams, ikigai.CodeToolTimeout, ikigai.CodeToolCrashed,
		ikigai.CodeInvalidOutput, ikigai.CodeDenied, ikigai.CodeCancelled:
		return true
	}
	return false
}

func (v *resultView) fields(r transcript.Result) {
	for _, f := range r.Fields {
		if v.form.field != nil && v.form.field(v, r, f) {
			continue
		}
		text, isText := f.Text()
		switch {
		case isText && (f.Name == "output" || f.Name == "stdout"):
			v.text(text)
		case isText && f.Name == "stderr":
			if text != "" {
				v.WriteString(v.labelled(f))
			}
		case f.Name == "error" && v.sameDenial, f.Name == "error_code" && v.noCode:
			// It has been said.
		case isText && f.Name == "error":
			if text = v.toPerson(r, text); strings.TrimSpace(text) != "" {
				v.fail(text)
			}
		case isText && f.Name == "limit_message":
			v.WriteString(v.behind("  "+v.paint(warn, v.glyph(alertMark))+" ", "    ", plain, safetext.Terminal(text)))
		case f.Name == "limit_reached", f.Name == "truncated" && string(f.Value) == "false":
			// The message says the first; the second is no news.
		default:
			v.field(f)
		}
	}
}

// toPerson returns why a call has failed in words for the person: where that is all
// that there is of one that they have stopped, they have a report of their own.
func (v *resultView) toPerson(r transcript.Result, failure string) string {
	switch {
	case !v.stopped:
		return failure
	case r.Report != "" && len(r.Fields) == 2: // the failure and its code
		return r.Report
	}
	for _, advice := range []string{" Wait for what the person says.", " Wait for what they say.", " Go on without it, or ask them."} {
		failure = strings.TrimSuffix(failure, advice)
	}
	return failure
}

// text shows output as it is.
func (v *resultView) text(text string) {
	v.tells(text)
	v.WriteString(v.folded("  ", "  ", plain, safetext.Terminal(text)))
}

func (v *resultView) fail(text string) {
	v.failed = true
	v.tells(text)
	v.WriteString(v.prose("  "+v.paint(bad, v.glyph(failMark))+" ", "    ", plain, safetext.Terminal(text)))
}

// field shows what has no place of its own: a fact if it is short, otherwise
// lines below its name.
func (v *resultView) field(f transcript.Field) {
	value, ok := inline(f)
	if text, isText := f.Text(); isText && isWord(text) {
		value = text
	}
	switch {
	case !ok:
		v.WriteString(v.labelled(f))
	case value == "true" && slices.Contains(strings.Fields(v.summary), f.Name):
		// It has been said.
	case value == "true":
		v.facts = append(v.facts, line(f.Name))
	case !v.summarised(value):
		v.facts = append(v.facts, line(f.Name)+" "+value)
	}
}

// isWord reports whether text is plain enough to stand without quotes.
func isWord(text string) bool {
	for _, r := range text {
		if r > '~' || r != '_' && r != '-' && r != '.' && r != '/' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return false
		}
	}
	return text != "" && text != "true"
}

// tells notes whether the summary repeats text.
func (v *resultView) tells(text string) {
	v.told = v.told || strings.Contains(text, v.summary)
}

// summarised reports whether the summary holds the number value: "3 files
// found" says what a count of 3 says.
func (v *resultView) summarised(value string) bool {
	if _, err := strconv.ParseInt(value, 10, 64); err != nil {
		return false
	}
	words := strings.FieldsFunc(strings.ReplaceAll(v.summary, ",", ""), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-'
	})
	for _, w := range words {
		if w == value {
			return true
		}
	}
	return false
}

// footer is the line below the output, or above it. empty tells that there is
// none.
func (v *resultView) footer(r transcript.Result, empty bool) {
	var words []string
	if !v.told && !strings.HasPrefix(r.Output, strings.TrimSuffix(v.summary, "…")) {
		words = append(words, line(v.summary))
	}
	words = append(words, v.facts...)
	report, more, _ := strings.Cut(strings.TrimSpace(r.Report), "\n")
	if report != "" && report != v.summary {
		words = append(words, line(report))
	}
	if more != "" && !v.reported {
		v.WriteString(v.folded("  ", "  ", plain, safetext.Terminal(more)))
	}
	for _, f := range r.Added {
		value, ok := inline(f)
		switch {
		case !v.Verbose && !r.Received(f.Name):
			// A default that was filled in is no news.
		case ok:
			words = append(words, "ran with "+line(f.Name)+"="+value)
		default:
			v.WriteString(v.labelled(f))
		}
	}
	if r.Millis > 0 && !v.sameDenial {
		words = append(words, Duration(time.Duration(r.Millis)*time.Millisecond))
	}
	switch text := v.join(words...); {
	case text != "":
		v.WriteString("  " + v.paint(v.tone, text) + "\n")
	case empty && v.Len() == 0 && !v.sameDenial:
		v.WriteString("  " + v.paint(faint, "no output") + "\n")
	}
}
