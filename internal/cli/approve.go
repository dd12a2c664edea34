package cli

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"

	"ikigai/internal/agent"
	"ikigai/internal/config"
	"ikigai/internal/safetext"
	"ikigai/internal/transcript"
)

// approval is asked before a tool changes something, and says why. A nil approval
// allows everything.
type approval = func(context.Context, agent.Approval) (allowed bool, reason string)

// approver returns what asks at the terminal, as the settings have it.
func (a *app) approver(v *view) approval {
	switch a.settings.Approval {
	case config.ApprovalDeny:
		return func(context.Context, agent.Approval) (bool, string) {
			return false, "the setting approval is deny"
		}
	case config.ApprovalAsk:
		if _, seen := terminal(v.err); !seen || !a.inputIsTerminal() {
			return func(context.Context, agent.Approval) (bool, string) {
				return false, "there is no terminal to ask at"
			}
		}
		q := &questions{app: a, view: v, lines: bufio.NewReader(a.In)}
		return q.ask
	}
	return nil
}

// questions are asked at the terminal.
type questions struct {
	*app
	view  *view
	lines *bufio.Reader
}

// ask asks about one call until it gets an answer.
func (q *questions) ask(ctx context.Context, request agent.Approval) (bool, string) {
	q.view.finish()
	q.forgetTyped()
	fmt.Fprint(q.Err, q.style(q.Err).Late(transcript.CallOf(request.Call)))
	for {
		fmt.Fprintf(q.Err, "Run %s? [y/N] ", safetext.Terminal(strings.ReplaceAll(request.Summary, "\n", " ")))
		answer, ok := q.read(ctx)
		if !ok {
			fmt.Fprintln(q.Err)
			if ctx.Err() != nil {
				return false, "the person stopped the turn"
			}
			return false, "the input ended without an answer"
		}
		switch strings.ToLower(strings.TrimSpace(answer)) {
		case "y", "yes":
			return true, ""
		case "", "n", "no":
			return false, "the person said no"
		}
	}
}

// forgetTyped drops what was typed before the question could be read.
func (q *questions) forgetTyped() {
	_, _ = q.lines.Discard(q.lines.Buffered()) // cannot fail
	if f, ok := q.In.(*os.File); ok {
		forgetInput(f.Fd())
	}
}

// read returns a line of the input, and false when the turn or the input ends
// before there is one.
func (q *questions) read(ctx context.Context) (string, bool) {
	line := make(chan string, 1)
	go func() {
		defer close(line)
		if text, err := q.lines.ReadString('\n'); err == nil {
			line <- text
		}
	}()
	select {
	case <-ctx.Done():
		return "", false
	case text, ok := <-line:
		return text, ok
	}
}
