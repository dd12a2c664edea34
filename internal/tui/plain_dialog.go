package tui

import (
	"fmt"
	"slices"
	"strings"
)

// dialog is what the lines answer for a while, instead of being sent.
type dialog interface {
	begin(l *loop)                         // prints what it is about
	prompt() string                        // for a line
	line(l *loop, text string) (done bool) // takes in a line
	leave(l *loop)                         // tells that the person has gone away from it
}

// begins opens a dialog, or lets it wait for those that are open. What was typed
// before was not meant for it.
func (p *plain) begins(l *loop, d dialog) {
	if len(p.dialog) == 0 {
		p.overtake(l)
	}
	if p.dialog = append(p.dialog, d); len(p.dialog) == 1 {
		d.begin(l)
	}
}

// overtake takes in the lines that are there already.
func (p *plain) overtake(l *loop) {
	for {
		select {
		case keys, ok := <-p.keys:
			l.typed(keys, ok)
		default:
			return
		}
	}
}

// ends closes a dialog.
func (p *plain) ends(l *loop, d dialog) {
	i := slices.Index(p.dialog, d)
	if i < 0 {
		return
	}
	p.asks = p.asks && i > 0
	if p.dialog = slices.Delete(p.dialog, i, i+1); i == 0 && len(p.dialog) > 0 {
		p.dialog[0].begin(l)
	}
}

// answered gives a line to the dialog that is open.
func (p *plain) answered(l *loop, text string) {
	d := p.dialog[0]
	if d.line(l, strings.TrimSpace(text)) {
		p.ends(l, d)
	}
}

// goesAway leaves the dialog that is open. It reports whether there is one.
func (p *plain) goesAway(l *loop) bool {
	if len(p.dialog) == 0 {
		return false
	}
	d := p.dialog[0]
	d.leave(l)
	p.ends(l, d)
	return true
}

// plainQuestion is a Question in lines: the answer is the key of a choice or its
// words, and nothing else.
type plainQuestion struct {
	*asked
	saying int // the choice whose words are asked for; -1 for none
}

func newPlainQuestion(a *asked) *plainQuestion { return &plainQuestion{asked: a, saying: -1} }

func (d *plainQuestion) begin(l *loop) {
	l.print(l.about(d.q))
	var b strings.Builder
	b.WriteString(safe(d.q.Prompt) + "\n")
	for _, c := range d.q.Choices {
		fmt.Fprintf(&b, "  %c: %s\n", c.Key, safe(c.Label))
	}
	l.print(b.String())
	l.summon(d.asked)
}

func (d *plainQuestion) prompt() string {
	if d.saying < 0 {
		return "answer: "
	}
	c := d.q.Choices[d.saying]
	if c.With == "" {
		return safe(c.Label) + ", in words: "
	}
	return safe(fmt.Sprintf("%s, in words; an empty line is %q: ", c.Label, c.With))
}

func (d *plainQuestion) line(l *loop, text string) (done bool) {
	if d.saying >= 0 {
		if text == "" {
			text = d.q.Choices[d.saying].With
		}
		d.answer <- Answer{Choice: d.saying, Words: text}
		return true
	}
	i := slices.IndexFunc(d.q.Choices, func(c Choice) bool {
		return strings.EqualFold(text, string(c.Key)) || strings.EqualFold(text, c.Label)
	})
	switch {
	case i < 0:
		l.print("Answer with one of: " + d.keys() + ". Ctrl-D gives no answer.")
		return false
	case d.q.Choices[i].Words:
		d.saying = i
		return false
	}
	d.answer <- Answer{Choice: i}
	return true
}

func (d *plainQuestion) keys() string {
	keys := make([]string, len(d.q.Choices))
	for i, c := range d.q.Choices {
		keys[i] = string(c.Key)
	}
	return strings.Join(keys, ", ")
}

func (d *plainQuestion) leave(l *loop) {
	l.giveBack() // what is asked about is stopped
	d.answer <- Answer{Choice: -1}
}

// question returns the question whose turn it is, nil if there is none.
func (p *plain) question() *asked {
	if len(p.dialog) > 0 {
		if d, ok := p.dialog[0].(*plainQuestion); ok {
			return d.asked
		}
	}
	return nil
}

// withdraw closes a question that is not to be answered any more.
func (p *plain) withdraw(l *loop, a *asked) {
	for _, d := range p.dialog {
		if q, ok := d.(*plainQuestion); ok && q.asked == a {
			p.ends(l, d)
			return
		}
	}
}

// pageInLines is Page for a plain Front: all of the text is printed.
func (f *Front) pageInLines(title, text string) {
	f.box.post(func(l *loop) {
		l.print(safe(title))
		l.print(text)
		l.print("(the end of " + safe(title) + ")")
	})
}
