package cli

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"

	"ikigai/internal/crash"
)

// asker returns what asks the person at the terminal; nil where there is none to
// see questions and to answer them.
func (a *app) asker(v *view) approval {
	if _, seen := terminal(v.err); !seen || !a.inputIsTerminal() {
		return nil
	}
	q := &questions{app: a, view: v, lines: bufio.NewReader(a.In)}
	return q.ask
}

// questions are asked at the terminal.
type questions struct {
	*app
	view  *view
	lines *bufio.Reader
}

// ask asks about one call until it gets an answer.
func (q *questions) ask(ctx context.Context, about inquiry) consent {
	q.view.hold()
	defer q.view.release()
	q.forgetTyped()
	q.show(about)
	for {
		fmt.Fprintf(q.Err, "%s [%s] ", about.prompt(), about.keys())
		answer, ok := q.read(ctx)
		if !ok {
			fmt.Fprintln(q.Err)
			return consent{}
		}
		switch strings.ToLower(strings.TrimSpace(answer)) {
		case "y", "yes":
			return consent{allowed: true}
		case "", "n", "no":
			return consent{}
		case "a", "all":
			return consent{allowed: true, reach: reachSession}
		case "r", "rule":
			if rule, ok := q.askRule(ctx, about.rule); ok {
				return consent{allowed: true, reach: reachRule, rule: rule}
			}
		}
	}
}

// show shows what of a call was not shown yet. The call itself stands above; if others
// stand in between, or it is folded there, it is shown again.
func (q *questions) show(about inquiry) {
	style := q.style(q.Err)
	text := about.rest(style)
	again := style.Compact || !about.bare(style) && !q.view.last(about)
	if again {
		text = "\n" + about.asked(style)
	}
	fmt.Fprint(q.Err, text)
	q.view.told(about, again)
}

// last reports whether a call is what was shown last.
func (v *view) last(about inquiry) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.fold.Last(about.Call.ID)
}

// told takes in that the person is shown a call. below tells that it is named right
// above what comes of it.
func (v *view) told(about inquiry, below bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	about.told(&v.fold, below)
}

// keys names the answers that there are.
func (about inquiry) keys() string {
	keys := "y/N, a = " + about.likes() + " in this session"
	if about.rule != "" {
		keys += ", r = as a rule"
	}
	return keys
}

// likes names the calls that would be allowed in this session.
func (about inquiry) likes() string {
	if about.like == "" {
		return "this very call"
	}
	return inOneLine(about.like)
}

// askRule has the person agree to a rule, or put it otherwise. It is false if there
// is none, or they want none.
func (q *questions) askRule(ctx context.Context, proposed string) (string, bool) {
	if proposed == "" {
		q.notice("No rule fits this call. Answer y or a.")
		return "", false
	}
	for {
		fmt.Fprintf(q.Err, "Rule for this directory, Enter for %s, - for none: ", inOneLine(proposed))
		typed, ok := q.read(ctx)
		typed = strings.TrimSpace(typed)
		switch {
		case !ok || typed == "-":
			return "", false
		case typed == "":
			return proposed, true
		}
		_, err := parseRule(typed)
		if err == nil {
			return typed, true
		}
		q.notice(err.Error())
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
// before there is one. The read that is left behind when the turn ends is the last.
func (q *questions) read(ctx context.Context) (string, bool) {
	if ctx.Err() != nil {
		return "", false
	}
	line := make(chan string, 1)
	go func() {
		defer close(line)
		defer crash.Guard()
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
