//go:build linux && (amd64 || arm64)

package cli

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"ikigai"
)

// goesOn checks that nothing that the witnesses saw is missing from the log,
// that the session goes on, and that all is well then.
func (r *row) goesOn() {
	r.t.Helper()
	before, done := r.logNow(), r.lines("witness")
	r.holds("right after the death", before)
	r.requested(before)
	r.showsUnfinished(before)
	if len(done) != len(slices.Compact(slices.Sorted(slices.Values(done)))) {
		r.twice("a tool has run twice: %q", done)
	}

	after := r.continued(before)
	if got := r.lines("witness"); !slices.Equal(got, done) {
		r.twice("going on changed what the tools had done: %q, then %q", done, got)
	}
	for i, e := range before {
		if i >= len(after) || asJSON(e) != asJSON(after[i]) {
			r.lost(1, "event %d was replaced: %s", i+1, asJSON(e))
		}
	}
	r.matrix.tally.saw(r.holds("in the end", after) + r.holdsText(after) + r.holdsFork())
	r.matrix.tally.ran(len(done)+len(r.lines("made.txt")), after)
	r.nothingWaits()
}

// logNow returns the events of the session; none if there is no session.
func (r *row) logNow() []ikigai.Event {
	r.t.Helper()
	c := r.start(r.log("--json")...)
	within(r.t, c.ended, "end of log")
	if code := c.cmd.ProcessState.ExitCode(); code == exitUsage && strings.Contains(c.err.String(), "There is no ") {
		return nil
	} else if code != exitAnswered {
		r.t.Fatalf("log ends with %d: %s", code, c.err)
	}
	return parseLog(r.t, c.out.String())
}

// log returns the arguments that show the log of the session.
func (r *row) log(flags ...string) []string {
	args := append([]string{"log"}, flags...)
	if r.id != "" {
		args = append(args, string(r.id))
	}
	return args
}

// marks are what a person sees of events, other than text and thinking.
var marks = []struct {
	painted string
	kind    ikigai.Kind
	holds   string // the event, in its content or its data
}{
	{`command="echo one`, ikigai.KindToolCall, "echo one"},
	{`command="echo two`, ikigai.KindToolCall, "echo two"},
	{`content="made"`, ikigai.KindToolCall, "made.txt"},
	{"first-42", ikigai.KindToolResult, "first-42"},
	{"second-43", ikigai.KindToolResult, "second-43"},
	{"creates ", ikigai.KindChange, "made.txt"},
	{"Wrote 4 bytes", ikigai.KindToolResult, "Wrote 4 bytes"},
	{"» turn left", ikigai.KindUser, "turn left"},
}

// holds checks that the log holds the events that were shown and the calls that
// were executed. It returns how many events were shown.
func (r *row) holds(when string, events []ikigai.Event) (shown int) {
	r.t.Helper()
	has := func(kind ikigai.Kind, text string) bool {
		return slices.ContainsFunc(of(kind, events), func(e ikigai.Event) bool {
			return strings.Contains(e.Content+string(e.Data), text)
		})
	}
	for _, m := range marks {
		if !strings.Contains(r.screen, m.painted) {
			continue
		}
		shown++
		if !has(m.kind, m.holds) {
			r.lost(1, "%s: %q was painted, and the log has no such %s", when, m.painted, m.kind)
		}
	}
	for _, e := range r.shown {
		shown++
		if at := int(e.Seq) - 1; at >= len(events) || asJSON(events[at]) != asJSON(e) {
			r.lost(1, "%s: printed, and not in the log: %s", when, asJSON(e))
		}
	}
	for _, word := range r.lines("witness") {
		if !has(ikigai.KindToolCall, "echo "+word+" >") {
			r.lost(1, "%s: a tool wrote %q, and its call is not in the log", when, word)
		}
	}
	return shown
}

// holdsFork checks that what was fenced out of the session is in a fork of it,
// one, and returns how many of these events were shown.
func (r *row) holdsFork() (shown int) {
	r.t.Helper()
	if len(r.forked) == 0 {
		return 0
	}
	sessions := r.place.run(exitAnswered, "sessions", "--json").out.String()
	if n := strings.Count(sessions, "\n"); n != 2 {
		r.twice("there are %d sessions, want the session and a fork: %s", n, sessions)
	}
	fork := r.forked[0].ID
	events := parseEvents(r.t, r.place.run(exitAnswered, "log", "--json", string(fork)).out.String())
	if n := len(of(ikigai.KindFork, events)); n != 1 {
		r.twice("the fork tells %d times that it is one", n)
	}
	for _, e := range r.forked {
		e.Session = fork
		if at := int(e.Seq) - 1; at >= len(events) || asJSON(events[at]) != asJSON(e) {
			r.lost(1, "printed, and not in the fork: %s", asJSON(e))
		}
	}
	return len(r.forked)
}

// requested checks that the log holds what the model was sent: the first
// statement before the first request, and so on.
func (r *row) requested(events []ikigai.Event) {
	r.t.Helper()
	for _, request := range r.server.Requests() {
		for kind, n := range r.sent(request.Body) {
			if missing := n - len(of(kind, events)); missing > 0 {
				r.lost(missing, "a request holds %d events of kind %s, the log %d less", n, kind, missing)
			}
		}
	}
}

// sent counts what a request holds by the kinds of the events.
func (r *row) sent(body []byte) map[ikigai.Kind]int {
	r.t.Helper()
	var request struct {
		Messages []struct {
			Role, Content string
			Calls         []json.RawMessage `json:"tool_calls"`
		}
	}
	must(r.t, json.Unmarshal(body, &request))
	kinds := map[ikigai.Kind]int{}
	for _, m := range request.Messages {
		switch {
		case m.Role == "tool" && !strings.Contains(m.Content, "may have run"):
			kinds[ikigai.KindToolResult]++
		case m.Role == "user":
			kinds[ikigai.KindUser]++
		}
		kinds[ikigai.KindToolCall] += len(m.Calls)
	}
	return kinds
}

// continued lets the session go on, or begins one if there is none, and returns
// its events then. The model and the person know what was interrupted.
func (r *row) continued(before []ikigai.Event) []ikigai.Event {
	r.t.Helper()
	args := []string{"run", "--continue", "go on"}
	switch {
	case r.id != "":
		args = []string{"run", "--resume", string(r.id), "go on"}
	case len(before) == 0:
		args = []string{"run", "go on"}
	}
	if got := r.place.run(exitAnswered, args...).out.String(); got != "I go on.\n" {
		r.t.Errorf("the session went on with %q", got)
	}
	for _, err := range r.server.Refused() {
		if !strings.Contains(err.Error(), "The body cannot be read") { // its sender died
			r.invalid("refused: %v", err)
		}
	}
	after := r.logNow()
	// A server may have stored more of what the dead one sent since before.
	lost := len(callsWithoutResult(after))
	own := len(callsWithoutResult(ofShell(after)))
	if got := strings.Count(r.body(), "may have run"); got != lost-own {
		r.invalid("the model is told of %d calls that may have run, want %d", got, lost-own)
	}
	if lost > 0 {
		if page := r.place.run(exitAnswered, r.log()...).out.String(); strings.Count(page, "may have run") != lost {
			r.t.Errorf("the log does not show %d calls that may have run:\n%s", lost, page)
		}
	}
	for _, e := range of(ikigai.KindInterrupted, after) {
		if text := strings.TrimSpace(e.Content); !strings.Contains(r.body(), text) {
			r.invalid("the model is not told what it had said: %q", text)
		}
	}
	return after
}

// ofShell returns the events of the commands that the person has typed. The model is told
// of those that have ended.
func ofShell(events []ikigai.Event) (own []ikigai.Event) {
	for _, e := range events {
		if strings.HasPrefix(e.Interaction, "shell-") {
			own = append(own, e)
		}
	}
	return own
}

// holdsText checks that each letter of text and thinking that was painted is in
// the log, and none twice. It returns how many events were shown, in part at
// least.
func (r *row) holdsText(events []ikigai.Event) (shown int) {
	r.t.Helper()
	said, thought := "", ""
	for _, e := range events {
		text, thinking := r.letters(e)
		said, thought = said+text, thought+thinking
		if strings.ContainsAny(r.screen, text+thinking) {
			shown++
		}
	}
	r.holdsLetters(only(unicode.Greek, r.screen), said)
	r.holdsLetters(only(unicode.Cyrillic, r.screen), thought)
	return shown
}

// letters returns the letters of text and thinking in an event.
func (r *row) letters(e ikigai.Event) (text, thinking string) {
	switch e.Kind {
	case ikigai.KindAssistant:
		text = e.Content
	case ikigai.KindThinking:
		thinking = e.Content
	case ikigai.KindInterrupted:
		var d ikigai.InterruptedData
		must(r.t, e.DecodeData(&d))
		text, thinking = e.Content, d.Thinking
	}
	return only(unicode.Greek, text), only(unicode.Cyrillic, thinking)
}

func (r *row) holdsLetters(painted, logged string) {
	r.t.Helper()
	if strings.Trim(painted, logged) != "" {
		r.lost(1, "painted %s, logged %s", painted, logged)
	}
	for _, text := range []string{painted, logged} {
		if !ascends(text) {
			r.twice("painted %s, logged %s", painted, logged)
		}
	}
}

// showsUnfinished checks that the log shows, right after the death, the text
// that was painted and is no event yet.
func (r *row) showsUnfinished(events []ikigai.Event) {
	r.t.Helper()
	recorded := ""
	for _, e := range events {
		text, thinking := r.letters(e)
		recorded += text + thinking
	}
	painted := only(unicode.Greek, r.screen) + only(unicode.Cyrillic, r.screen)
	if strings.Trim(painted, recorded) == "" {
		return
	}
	page := r.place.run(exitAnswered, r.log()...).out.String()
	if missing := strings.Trim(painted, page); missing != "" {
		r.lost(1, "%s was painted, and the log shows none of it right after the death:\n%s", missing, page)
	}
}

// only returns the letters of a script in a text.
func only(letters *unicode.RangeTable, text string) string {
	return strings.Map(func(c rune) rune {
		if unicode.Is(letters, c) {
			return c
		}
		return -1
	}, text)
}

// ascends reports whether each letter comes once, in the order of the alphabet.
func ascends(text string) bool {
	last := rune(0)
	for _, c := range text {
		if c <= last {
			return false
		}
		last = c
	}
	return true
}

func (r *row) lost(n int, format string, args ...any) {
	r.t.Helper()
	r.matrix.tally.add(&r.matrix.tally.lost, n)
	r.t.Error("lost: " + fmt.Sprintf(format, args...))
}

func (r *row) twice(format string, args ...any) {
	r.t.Helper()
	r.matrix.tally.add(&r.matrix.tally.twice, 1)
	r.t.Error("twice: " + fmt.Sprintf(format, args...))
}

func (r *row) invalid(format string, args ...any) {
	r.t.Helper()
	r.matrix.tally.add(&r.matrix.tally.invalid, 1)
	r.t.Error("invalid: " + fmt.Sprintf(format, args...))
}
