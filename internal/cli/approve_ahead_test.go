package cli

import (
	"os"
	"slices"
	"strings"
	"testing"

	"ikigai"
	"ikigai/internal/scriptserver"
)

// clears takes away what is typed, and waits until the question can be answered.
func (s *typist) clears(typed string) {
	s.t.Helper()
	s.WaitFor("› " + typed)
	s.Send("C-u")
	s.Until("the choices", func(screen string) bool {
		return strings.Contains(screen, "y yes, once") && !strings.Contains(screen, "› "+typed)
	})
}

// What is typed on while a question appears does not answer it, whatever letters it
// has; after a pause, they do.
func TestTypingAheadAnswersNothing(t *testing.T) {
	t.Parallel()
	p := newPlace(t, `
user: work
call: bash {"command": "touch a"}

reply:
say: As you like.
`)
	s := p.types("--approval", "ask")
	asked, answer := make(chan struct{}), make(chan struct{})
	p.onRequest(func(n int, _ scriptserver.Request) {
		if n == 1 {
			close(asked)
			<-answer
		}
	})
	s.enters("work")
	within(t, asked, "request")
	s.Type("yes say ")
	close(answer)
	s.Type("yes and yes")
	s.WaitFor("finish or clear what you type, then answer")
	s.clears("yes say yes and yes")
	s.Type("yes say why") // y is an answer where nothing follows it
	s.WaitFor("› yes say why")
	if events := p.log(); len(of(ikigai.KindApproval, events)) > 0 || len(of(ikigai.KindToolResult, events)) > 0 {
		t.Errorf("what was typed has answered: %s", kindsOf(events))
	}
	s.clears("yes say why")
	s.Send("n")
	s.answered("As you like.")
	s.leaves()
	if got := verdicts(t, p.log()); len(got) != 1 || !slices.ContainsFunc(got, func(v string) bool { return strings.HasPrefix(v, "bash denied") }) {
		t.Errorf("the log has %q", got)
	}
	if _, err := os.Stat(p.file("a")); err == nil {
		t.Error("what was denied has run")
	}
}
