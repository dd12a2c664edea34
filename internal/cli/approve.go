package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"ikigai"
	"ikigai/internal/agent"
	"ikigai/internal/config"
	"ikigai/internal/render"
	"ikigai/internal/tools"
	"ikigai/internal/transcript"
)

// approval asks the person about a call, until they have answered or ctx ends.
type approval = func(ctx context.Context, q inquiry) consent

// inquiry is a call that the person is asked about.
type inquiry struct {
	agent.Approval
	change tools.Change // what it would do to a file, as far as it is known
	rule   string       // that would allow it, to be saved; "" where there is none
	like   string       // that would allow it and its like in this session; "" likewise
}

// consent is what the person has said.
type consent struct {
	allowed bool
	reach   reach
	rule    string // as they have put it, of reachRule
	words   string // why not; "" if they said nothing
}

// reach says which other calls are allowed with one.
type reach int

const (
	reachOnce    reach = iota
	reachSession       // those like it, for as long as the session is open
	reachRule          // those of a rule, in this directory from now on
)

// permits says which calls of a session may run that may change something: as the
// mode has it, by rules, and else by what the person says.
type permits struct {
	*app
	ask    approval // nil where nobody can be asked
	change func(context.Context, agent.Approval) tools.Change

	asking sync.Mutex // one question at a time

	mu      sync.Mutex
	session []rule            // that hold while the session is open
	same    []ikigai.ToolCall // likewise, with Arguments as they would run
	told    map[string]bool   // faults of rules that the person knows of
}

// permits returns those of the session that o opens.
func (o *opening) newPermits() *permits {
	return &permits{app: o.app, ask: o.view.approval(), change: o.change, told: map[string]bool{}}
}

// change returns what a call would do to a file.
func (o *opening) change(ctx context.Context, r agent.Approval) tools.Change {
	if r.Tool.Source != "" || o.kit == nil {
		return tools.Change{}
	}
	return tools.Preview(ctx, o.kit.config, r.Call.Name, ikigai.Call{ID: r.Call.ID, Dir: o.dir, Args: r.Args})
}

// judge says whether a call may run.
func (p *permits) judge(ctx context.Context, r agent.Approval) agent.Verdict {
	mode := p.approvalMode()
	switch {
	case mode == config.ApprovalNever:
		return agent.Verdict{Allowed: true, Unasked: true}
	case isDelegate(r.Tool):
		return agent.Verdict{Allowed: true, Reason: "each call of a task is asked about by itself"}
	case mode == config.ApprovalPlan:
		return agent.Verdict{Planned: true, Reason: "the person wants a plan first, and nothing changed until they agree; " +
			"look at what you need with the tools that only read, then answer with the plan"}
	case mode == config.ApprovalDeny:
		return agent.Verdict{Reason: "the setting approval is deny"}
	}
	return p.askAbout(ctx, r)
}

// askAbout says whether a call may run by rules, and else asks the person.
func (p *permits) askAbout(ctx context.Context, r agent.Approval) agent.Verdict {
	if v, ok := p.allowedBefore(r); ok {
		return v
	}
	if p.ask == nil {
		return agent.Verdict{Reason: "there is no terminal to ask at"}
	}
	p.asking.Lock()
	defer p.asking.Unlock()
	if ctx.Err() != nil { // while others were asked about
		return agent.Verdict{Reason: "the person stopped the turn"}
	}
	if v, ok := p.allowedBefore(r); ok {
		return v
	}
	call := p.ruled(r)
	q := inquiry{Approval: r, change: p.change(ctx, r), rule: suggestRule(call), like: likeRule(call)}
	return p.heard(ctx, r, p.ask(ctx, q))
}

// heard makes a verdict of what the person has said.
func (p *permits) heard(ctx context.Context, r agent.Approval, c consent) agent.Verdict {
	switch {
	case ctx.Err() != nil && !c.allowed:
		return agent.Verdict{Reason: "the person stopped the turn"}
	case !c.allowed && c.words != "":
		return agent.Verdict{Reason: "the person said no: " + c.words}
	case !c.allowed:
		return agent.Verdict{Reason: "the person said no"}
	case c.reach == reachSession:
		p.allowLike(r)
		return agent.Verdict{Allowed: true, Reason: "by the person, for this session"}
	case c.reach == reachRule:
		return agent.Verdict{Allowed: true, Reason: p.saved(r, c.rule)}
	}
	return agent.Verdict{Allowed: true, Reason: "by the person, once"}
}

// allowLike allows calls like r for as long as the session is open: those of the
// rule that the question named, or the very same.
func (p *permits) allowLike(r agent.Approval) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if known, err := parseRule(likeRule(p.ruled(r))); err == nil {
		p.session = append(p.session, known)
		return
	}
	p.same = append(p.same, ikigai.ToolCall{Name: r.Call.Name, Arguments: string(r.Args)})
}

// saved saves a rule, and returns how the call was allowed with it.
func (p *permits) saved(r agent.Approval, text string) string {
	known, err := parseRule(text)
	if err == nil {
		err = p.ruleBook().add(p.dir, known)
	}
	if err != nil {
		p.notice(err.Error())
		return "by the person, once"
	}
	if !known.allows(p.ruled(r)) {
		p.notice("The rule " + inOneLine(text) + " is saved, but does not fit this call, which was allowed once. See `ikigai rules`.")
		return "by the person, once"
	}
	return "by the person, with the rule " + known.text
}

// allowedBefore returns the verdict on a call that needs no question.
func (p *permits) allowedBefore(r agent.Approval) (agent.Verdict, bool) {
	call := p.ruled(r)
	for _, known := range p.rulesOf() {
		if known.allows(call) {
			return agent.Verdict{Allowed: true, Reason: "by the rule " + known.text}, true
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	like := agent.Verdict{Allowed: true, Reason: "by the person, for this session"}
	for _, known := range p.session {
		if known.allows(call) {
			return like, true
		}
	}
	for _, same := range p.same {
		if same.Name == r.Call.Name && bytes.Equal([]byte(same.Arguments), r.Args) {
			return like, true
		}
	}
	return agent.Verdict{}, false
}

// ruled returns a call as rules see it.
func (p *permits) ruled(r agent.Approval) ruledCall {
	return ruledCall{name: r.Call.Name, args: r.Args, builtin: r.Tool.Source == "", dir: p.dir, home: p.env("HOME")}
}

// rulesOf returns the rules of the settings and those that are saved for the
// directory. The person is told, once, of what is wrong with them.
func (p *permits) rulesOf() []rule {
	all, faults := p.rulesHere()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, fault := range faults {
		if !p.told[fault] {
			p.told[fault] = true
			p.notice(fault)
		}
	}
	return all
}

// asked shows a call that the person is asked about: all of it, and of the change
// of a file what would become of it as it is now.
func (q inquiry) asked(style render.Style) string {
	call := transcript.CallOf(q.Call)
	if q.change.Lines != "" {
		call.Params = slices.DeleteFunc(slices.Clone(call.Params), func(f transcript.Field) bool {
			return f.Name == "edits" || f.Name == "content"
		})
	}
	return style.Asked(call, q.Summary) + q.changes(style)
}

// rest shows what of a call does not stand where it was printed, whole.
func (q inquiry) rest(style render.Style) string {
	if q.change != (tools.Change{}) {
		return q.changes(style)
	}
	style.Compact = false
	return style.Late(transcript.CallOf(q.Call))
}

// told takes in that the person is shown the call. below tells that it is named right
// above what comes of it.
func (q inquiry) told(fold *transcript.Transcript, below bool) {
	if q.For == "" && q.change.Fails == "" {
		fold.Asked(q.Call.ID, q.change.Lines, below)
	}
}

// bare reports whether nothing is printed above the prompt where the call stands on
// the screen: both tell all of it.
func (q inquiry) bare(style render.Style) bool {
	_, all := q.named()
	return all && q.rest(style) == ""
}

// prompt asks about a call in few words: all of it stands above.
func (q inquiry) prompt() string {
	what, _ := q.named()
	if q.For != "" {
		what += " for " + q.For
	}
	return "Run " + inOneLine(what) + "?"
}

// named returns a call in few words, and whether they tell all of it: what a call of
// our own is about is its command or its file, as in a rule.
func (q inquiry) named() (what string, all bool) {
	params := transcript.CallOf(q.Call).Params
	text := object(params)
	ours := q.Tool.Source == "" && slices.Contains([]string{"bash", "file_edit", "file_write"}, q.Call.Name) && text != ""
	if !ours && utf8.RuneCountInString(q.Summary) <= maxPrompt {
		return q.Summary, true
	}
	first := firstOf(text)
	return q.Call.Name + "(" + first + ")", ours && first == text && len(params) == 1
}

// object returns what a call is about: its command, its path or else its first text.
func object(params []transcript.Field) string {
	for _, name := range []string{"command", "path", ""} {
		for _, f := range params {
			if text, ok := f.Text(); ok && (name == "" || f.Name == name) {
				return text
			}
		}
	}
	return ""
}

// firstOf returns the beginning of a text in one line, and that it is one.
func firstOf(text string) string {
	first, _, more := strings.Cut(strings.TrimSpace(text), "\n")
	if runes := []rune(first); len(runes) > maxPrompt {
		first, more = string(runes[:maxPrompt]), true
	}
	if more {
		first += " …"
	}
	return first
}

// maxPrompt is the most characters of a call that is named as a whole where it is
// asked about.
const maxPrompt = 72

// changes shows what would become of a file.
func (q inquiry) changes(style render.Style) string {
	style.Compact = false
	if q.change.Fails != "" {
		return style.Block(render.Notice("As it is now the call would fail: " + q.change.Fails + "."))
	}
	return style.Diff(q.change.Lines)
}

// rawArgs decodes the arguments of a call, as the tool does.
func rawArgs[In any](args json.RawMessage) (in In, ok bool) {
	return in, json.Unmarshal(args, &in) == nil
}
