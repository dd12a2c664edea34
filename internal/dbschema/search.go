package dbschema

import (
	"strings"
	"unicode/utf8"

	"ikigai"
)

// maxText is the most bytes of an event that a search finds.
const maxText = 1 << 20

// Indexed is what a search finds of an event.
type Indexed struct {
	Text string // its words, folded, see Fold
	Tool string // name of the tool of a call or result
	File string // what its input or resources name: paths and URIs, a line each
}

// Empty tells that no search finds the event.
func (i Indexed) Empty() bool { return i == Indexed{} }

// SearchText returns what of an event a search finds: what a person or a model
// said, what a tool was asked and what it answered, not what the program keeps
// for itself.
func SearchText(e ikigai.Event) Indexed {
	switch e.Kind {
	case ikigai.KindSession, ikigai.KindSystem, ikigai.KindTools, ikigai.KindRequest, ikigai.KindUsage,
		ikigai.KindApproval, ikigai.KindRewind, ikigai.KindClear, ikigai.KindFork, ikigai.KindQuarantine, ikigai.KindFallback,
		ikigai.KindTrust, ikigai.KindFeedback, ikigai.KindProjection:
		return Indexed{}
	case ikigai.KindInteraction, ikigai.KindUser, ikigai.KindAssistant, ikigai.KindThinking:
		if repeats(e) {
			return Indexed{}
		}
	case ikigai.KindChange:
		return ofChange(e)
	case ikigai.KindToolCall:
		return ofCall(e)
	case ikigai.KindToolResult:
		return ofResult(e)
	case ikigai.KindInterrupted:
		var d ikigai.InterruptedData
		_ = e.DecodeData(&d) // what is damaged has its content still
		return Indexed{Text: text(e.Content, d.Thinking)}
	}
	return Indexed{Text: text(e.Content)}
}

// repeats reports whether an event says again what others say: side interactions
// are told what was said in the main one, and what most of them answer is what
// an event of that one holds.
func repeats(e ikigai.Event) bool {
	purpose, _, _ := strings.Cut(e.Interaction, "-")
	switch ikigai.Purpose(purpose) {
	case ikigai.PurposeObjective, ikigai.PurposeSummary:
		return true
	case ikigai.PurposeCommit:
		return e.Kind != ikigai.KindAssistant
	}
	return false
}

// ofChange leaves the words of the path out: the call has them.
func ofChange(e ikigai.Event) Indexed {
	var d ikigai.ChangeData
	switch err := e.DecodeData(&d); {
	case d.Unrecorded != "":
		return Indexed{}
	case err != nil || d.Path == "":
		return Indexed{File: line(e.Content)}
	}
	return Indexed{File: line(d.Path)}
}

// ofCall takes the arguments decoded, so that no escape sticks to a word. They
// say all that the content does.
func ofCall(e ikigai.Event) Indexed {
	var d ikigai.ToolCallData
	if e.DecodeData(&d) != nil {
		return Indexed{Text: text(e.Content)}
	}
	args, whole := readValue(d.Function.Arguments)
	if !whole {
		args.all = []string{e.Content, d.Function.Arguments}
	}
	return Indexed{
		Text: text(append([]string{d.Function.Name}, args.all...)...),
		Tool: d.Function.Name,
		File: strings.Join(args.files, "\n"),
	}
}

func ofResult(e ikigai.Event) Indexed {
	var d ikigai.ToolResultData
	if e.DecodeData(&d) != nil {
		return Indexed{Text: text(e.Content)}
	}
	pieces := append([]string{e.Content}, outputText(d.Output)...)
	for _, p := range d.Parts {
		pieces = append(pieces, p.Text)
	}
	pieces = append(pieces, d.Note)
	if d.Report != e.Content {
		pieces = append(pieces, d.Report)
	}
	executed, _ := readValue(string(d.Executed))
	files := executed.files
	for _, r := range d.Resources {
		files = append(files, line(r.URI))
	}
	return Indexed{Text: text(pieces...), Tool: d.Name, File: strings.Join(unique(files), "\n")}
}

// outputText returns what an output says without the names of its fields, which
// are the same in every result.
func outputText(output string) []string {
	if v, whole := readValue(output); whole {
		return v.values
	}
	return []string{output}
}

// text returns the words of the pieces, up to maxText bytes of them.
func text(pieces ...string) string {
	joined := strings.Join(pieces, "\n")
	if len(joined) > maxText {
		end := maxText
		for !utf8.RuneStart(joined[end]) {
			end--
		}
		joined = joined[:end]
	}
	return Fold(joined)
}

// line returns a path as a line.
func line(path string) string { return strings.ReplaceAll(path, "\n", " ") }

func unique(list []string) []string {
	seen := make(map[string]bool, len(list))
	var kept []string
	for _, s := range list {
		if !seen[s] {
			seen[s] = true
			kept = append(kept, s)
		}
	}
	return kept
}

// Fits reports whether the event is of the tool and names the file that q asks
// for. An index may find more than that: paths as words, for one.
func (i Indexed) Fits(q ikigai.SearchQuery) bool {
	if q.Tool != "" && q.Tool != i.Tool {
		return false
	}
	if q.File == "" {
		return true
	}
	end := strings.TrimPrefix(q.File, "./")
	for path := range strings.SplitSeq(i.File, "\n") {
		path = strings.TrimPrefix(path, "./")
		if path == end || strings.HasSuffix(path, "/"+end) {
			return true
		}
	}
	return false
}

// TitleFits reports whether part occurs in title, in any case.
func TitleFits(title, part string) bool {
	return strings.Contains(foldCase(title), foldCase(part))
}
