package cli

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"

	"ikigai"
	"ikigai/internal/transcript"
)

// replyEnd knows the last event that ends what was shown of a reply.
type replyEnd struct {
	head, replied ikigai.Seq
}

func (r *replyEnd) add(e ikigai.Event) {
	r.head = e.Seq
	switch e.Kind {
	case ikigai.KindAssistant, ikigai.KindToolCall, ikigai.KindInterrupted, ikigai.KindUsage:
		r.replied = e.Seq
	}
}

// unfinished returns what a person was shown of a reply that is not recorded
// yet: the program was killed and nobody has gone on with the session, or is
// still at it.
func (a *app) unfinished(id ikigai.ID, last replyEnd) []transcript.Block {
	after, text, thinking := readPartial(a.places().partial(id))
	if text == "" && thinking == "" || after < last.replied {
		return nil
	}
	return []transcript.Block{{
		Kind: ikigai.KindInterrupted, Session: id, Interaction: ikigai.Main, Text: text,
		Body: ikigai.InterruptedData{Reason: "unfinished", Thinking: thinking},
	}}
}

// readPartial reads the file in which package session keeps what is shown of a
// reply that is under way.
func readPartial(path string) (after ikigai.Seq, text, thinking string) {
	f, err := os.Open(path)
	if err != nil {
		return 0, "", ""
	}
	defer f.Close()
	var said, thought strings.Builder
	for r := bufio.NewReader(f); ; {
		raw, err := r.ReadBytes('\n')
		var line struct {
			After          ikigai.Seq
			Text, Thinking string
		}
		if err != nil || json.Unmarshal(raw, &line) != nil {
			return after, said.String(), thought.String()
		}
		after = max(after, line.After)
		said.WriteString(line.Text)
		thought.WriteString(line.Thinking)
	}
}
