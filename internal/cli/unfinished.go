package cli

import (
	"ikigai"
	"ikigai/internal/session"
	"ikigai/internal/transcript"
)

// unfinished returns what a person was shown of a reply that is not recorded
// yet: the program was killed and nobody has gone on with the session, or is
// still at it. replied is the session's last event that ends what was shown.
func (a *app) unfinished(id ikigai.ID, replied ikigai.Seq) []transcript.Block {
	text, thinking := session.Unfinished(a.places().partial(id), replied)
	if text == "" && thinking == "" {
		return nil
	}
	return []transcript.Block{{
		Kind: ikigai.KindInterrupted, Session: id, Interaction: ikigai.Main, Text: text,
		Body: ikigai.InterruptedData{Reason: "unfinished", Thinking: thinking},
	}}
}
