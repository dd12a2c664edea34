package cli

import (
	"strings"
	"syscall"
	"testing"

	"ikigai"
)

// endless is a model that never ends the summary of what was said.
const endless = `
user: *
say: I have read it.

side: summary
fault: hang
`

// While the conversation is summed up the person sees what they wait for, and
// whoever stops that has the conversation as it was.
func TestStopSummary(t *testing.T) {
	t.Parallel()
	long := "Read this. " + strings.Repeat("word ", 4000)
	for name, test := range map[string]struct {
		args []string
		says string
	}{
		"before a request": {[]string{"run", "--set", "context_limit=8000", "--continue", "And now?"}, "The turn was stopped"},
		"at their wish":    {[]string{"compact", "--set", "context_limit=8000"}, "The conversation was left as it is"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, endless)
			p.run(exitAnswered, "run", "--set", "context_limit=8000", long)
			p.run(exitAnswered, "run", "--continue", "Thank you.")
			screen, c := atTerminal(t, p.command(test.args...))
			screen.awaitText(t, "… summing up the conversation")
			c.signal(syscall.SIGINT)
			c.ends(exitInterrupted)
			screen.awaitText(t, test.says)
			if all := of(ikigai.KindProjection, p.log()); len(all) > 0 {
				t.Errorf("it was put in fewer words: %s", asJSON(all))
			}
		})
	}
}

// Where a model fails to sum up what was said, the person is told once, after two
// attempts at most.
func TestSummaryFails(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "user: *\nsay: I have read it.\n\nside: summary\nfault: status 503\n  retry-after: 0\n")
	p.run(exitAnswered, "run", "--set", "context_limit=8000", "Read this. "+strings.Repeat("word ", 4000))
	p.run(exitAnswered, "run", "--continue", "Thank you.")
	before := p.count.Load()
	c := p.run(exitAnswered, "run", "--set", "context_limit=8000", "--continue", "And now?")
	c.tells(1, "The summary of the conversation is made from the log alone, because test/scripted failed: ")
	sides := of(ikigai.KindInteraction, p.log())
	if n := p.count.Load() - before; len(sides) == 0 || int(n) != 1+2*len(sides) {
		t.Errorf("%d requests for %d summaries", n, len(sides))
	}
}

// What stops a compaction is told, and nothing of a model that would not be asked.
func TestCompactNothing(t *testing.T) {
	t.Parallel()
	p := newPlace(t, endless)
	c := p.run(exitUsage, "compact", "--set", "model=none/none", "zzz")
	c.tells(0, "is not asked for a summary")
}
