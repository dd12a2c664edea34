package render_test

import (
	"fmt"
	"strings"
	"testing"

	"ikigai"
	"ikigai/internal/history"
	"ikigai/internal/transcript"
)

// What a person sees and what the model is sent are two projections of one log:
// a side conversation, about a commit message, a title or a summary that was
// delegated, is among what is seen, with its origin, at the place where it
// happened, and the model of the main conversation gets none of it.
//
// S3.23, S3.26, S3.27, S3.28, S3.29, S3.30
func TestSideConversationsAreSeenAndNotSent(t *testing.T) {
	for _, side := range []string{"commit", "title", "summary"} {
		var events []ikigai.Event
		add := func(interaction string, kind ikigai.Kind, content string) {
			e := ikigai.NewEvent(kind, content, nil)
			e.Interaction, e.Seq = interaction, ikigai.Seq(len(events)+1)
			events = append(events, e)
		}
		add(ikigai.Main, ikigai.KindUser, "mend the test")
		add(side, ikigai.KindUser, "Say it in a line.")
		add(ikigai.Main, ikigai.KindAssistant, "It is mended.")
		add(side, ikigai.KindAssistant, "tests: mended")

		main, aside := history.New(ikigai.Main), history.New(side)
		for _, e := range events {
			main.Add(e)
			aside.Add(e)
		}
		if got := contents(main.Request()); got != "mend the test|It is mended." {
			t.Errorf("%s: the main conversation is %s", side, got)
		}
		if got := contents(aside.Request()); got != "Say it in a line.|tests: mended" {
			t.Errorf("%s: the side conversation is %s", side, got)
		}
		want := "› mend the test\n\n[" + side + "] › Say it in a line.\n\nIt is mended.\n\n[" + side + "] tests: mended\n"
		if got := page(styles["plain"], events); got != want {
			t.Errorf("shown:\n%s\nwant:\n%s", got, want)
		}
		if got := page(styles["plain"], restored(t, events)); got != want {
			t.Errorf("after a restart:\n%s\nwant:\n%s", got, want)
		}
	}
}

func contents(r ikigai.Request) string {
	var all []string
	for _, m := range r.Messages {
		all = append(all, m.Content)
	}
	return strings.Join(all, "|")
}

// restored returns events as a store gives them back: from their lines.
func restored(t *testing.T, events []ikigai.Event) []ikigai.Event {
	t.Helper()
	var lines strings.Builder
	for _, e := range events {
		fmt.Fprintf(&lines, "%s", transcript.JSONLine(e))
	}
	return readEvents(t, []byte(lines.String()))
}
