package agent

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"ikigai"
)

// Standing is how a conversation stands, as a projection of what the Recorder
// has recorded.
type Standing interface {
	Goal() string              // what the conversation is for; "" if that is not known
	Objective() string         // what the statement is to reach; "" if that is not known
	Tools() []ikigai.ToolTally // how its tools have fared, in the order of first use
}

// Values of Agent.Feedback.
const (
	FeedbackOn   = "on"   // all lines, after each round
	FeedbackAuto = "auto" // without those that say what the last ones of the statement have said
)

// Limits of the feedback: it is sent with every round.
const (
	maxFeedback  = 400 // bytes
	maxToolsUsed = 200 // bytes of these
	maxToolName  = 64  // bytes of these
	maxAim       = 80  // characters of the goal, and of the objective
)

// told is the lines that the model was told last in a statement: goal, objective
// and tools.
type told [3]string

// tell records, at the end of a round of tools, what the model is told of how
// the statement stands. It rides with the request that follows.
func (a *Agent) tell(turn int, told *told) {
	if a.Standing == nil || a.Feedback != FeedbackOn && a.Feedback != FeedbackAuto {
		return
	}
	a.recording.Lock() // what comes meanwhile from beside the loop stands behind it
	defer a.recording.Unlock()
	d := ikigai.FeedbackData{
		Turn: turn, Turns: a.MaxToolTurns,
		Goal: a.Standing.Goal(), Objective: a.Standing.Objective(), Tools: a.Standing.Tools(),
	}
	lines := linesOf(d)
	before := *told
	*told = lines
	for i := range lines {
		if a.Feedback == FeedbackAuto && lines[i] == before[i] {
			lines[i] = ""
		}
	}
	a.Recorder.Queue(ikigai.NewEvent(ikigai.KindFeedback, feedback(d, lines), d))
}

// linesOf returns what the lines say of d, "" where there is nothing to say.
func linesOf(d ikigai.FeedbackData) told {
	return told{cut(oneLine(d.Goal), maxAim), cut(oneLine(d.Objective), maxAim), toolsUsed(d.Tools)}
}

// feedback returns the text for the model. Where letters of many bytes would
// make it longer than it may be, the goal and the objective are cut further.
func feedback(d ikigai.FeedbackData, lines told) string {
	text := func() string {
		s := fmt.Sprintf("Tool results feedback:\nTurn %d/%d", d.Turn, d.Turns)
		for i, name := range [len(lines)]string{"Conversation Goal", "Current Objective", "Tools Used"} {
			if lines[i] != "" {
				s += "\n" + name + ": " + lines[i]
			}
		}
		return s
	}
	if over := len(text()) - maxFeedback; over > 0 {
		goal, objective := &lines[0], &lines[1]
		room := len(*goal) + len(*objective) - over
		half := max(room/2, room-len(*goal), room-len(*objective)) // all of it, less what the shorter needs
		*goal, *objective = cutBytes(*goal, half), cutBytes(*objective, half)
	}
	return text()
}

// toolsUsed says how each tool has fared, as far as there is room.
func toolsUsed(tools []ikigai.ToolTally) string {
	var all, fits string
	for i, t := range tools {
		if i > 0 {
			all += ", "
		}
		all += fmt.Sprintf("%s(%d: %d✓ %d✗)", cutBytes(oneLine(t.Name), maxToolName), t.Succeeded+t.Failed, t.Succeeded, t.Failed)
		more := ""
		if left := len(tools) - i - 1; left > 0 {
			more = fmt.Sprintf(", and %d more", left)
		}
		if len(all) > maxToolsUsed {
			break
		}
		if len(all)+len(more) <= maxToolsUsed {
			fits = all + more
		}
	}
	return fits
}

// oneLine returns s without line breaks and control characters: what it says
// cannot pass for a line of its own.
func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(ikigai.CleanText(s), func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
}

const ellipsis = "…"

// cut returns s, or its beginning, in at most n characters.
func cut(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return strings.TrimSpace(string([]rune(s)[:n-1])) + ellipsis
}

// cutBytes returns s, or its beginning, in at most n bytes, which are no fewer
// than the three of an ellipsis.
func cutBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	end := n - len(ellipsis)
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return strings.TrimSpace(s[:end]) + ellipsis
}
