// Package textmode lets models call tools that cannot do so by themselves: the
// tools are presented in the system prompt, calls are JSON in the model's text,
// and results come back as JSON in a message of the user.
//
//	{"reasoning":"…","tool_calls":[{"tool":"bash","params":{"command":"ls"}}]}
//	{"tool":"bash","result":{"output":"a.go\n","exit_code":0}}
//
// A reply is read for calls while it streams. What stands at the start of a
// line, alone or in a fence, and has the form of a call is one, as long as nothing
// but calls follows up to the end of the reply: a call that prose follows was
// quoted, and all of it is text. Only results that a model makes up behind its
// calls, in the form above, are left out.
package textmode

import (
	"context"
	"crypto/rand"
	"errors"
	"iter"

	"ikigai"
	"ikigai/internal/provider"
)

// Options says how tools are presented.
type Options struct {
	Compact bool // in few words, for models with a small context
}

// New returns a model that calls tools by way of inner's text. Requests to
// inner hold neither tools nor calls.
func New(inner ikigai.Model, o Options) ikigai.Model { return &model{inner, o} }

type model struct {
	inner   ikigai.Model
	options Options
}

// Stream implements ikigai.Model.
func (m *model) Stream(ctx context.Context, req ikigai.Request) iter.Seq2[ikigai.Delta, error] {
	return func(yield func(ikigai.Delta, error) bool) {
		if err := provider.CheckChoice(req); err != nil {
			yield(ikigai.Delta{}, err)
			return
		}
		inner, sources := present(req, m.options)
		r := &reply{parser: newParser(req), yield: yield}
		for d, err := range m.inner.Stream(ctx, inner) {
			if err != nil {
				r.fail(locate(err, sources))
				return
			}
			if !r.add(d) {
				return
			}
		}
	}
}

// locate returns err with the number that the message it names has in the
// request which was presented as another.
func locate(err error, sources []int) error {
	var told *ikigai.Error
	if !errors.As(err, &told) || told.Message == 0 {
		return err
	}
	moved := *told
	moved.Message = 0
	if told.Message <= len(sources) {
		moved.Message = sources[told.Message-1]
	}
	return &moved
}

// reply turns the deltas of the inner model into those of one that calls tools.
type reply struct {
	parser *parser
	yield  func(ikigai.Delta, error) bool
	calls  int
}

// add takes in a delta. It reports whether the consumer wants more.
func (r *reply) add(d ikigai.Delta) bool {
	found := r.parser.feed(d.Text)
	if d.Stop != "" {
		found = append(found, r.parser.end()...)
	}
	d.Text = ""
	switch {
	case d.Stop != "": // the last delta stays the last
		if !r.pass(found) {
			return false
		}
		found = nil
		if r.calls > 0 && d.Stop == ikigai.StopEnd {
			d.Stop = ikigai.StopToolCalls
		}
	case len(found) > 0 && found[0].Call == nil:
		d.Text, d.Thinking = found[0].Text, d.Thinking+found[0].Thinking
		found = found[1:]
	}
	return (isEmpty(d) || r.yield(d, nil)) && r.pass(found)
}

func (r *reply) pass(found []ikigai.Delta) bool {
	for _, d := range found {
		if d.Call != nil {
			d.Call.Index = r.calls
			d.Call.ID = "call_" + rand.Text()
			r.calls++
		}
		if !r.yield(d, nil) {
			return false
		}
	}
	return true
}

// fail yields err after the text that came before it.
func (r *reply) fail(err error) {
	if text := r.parser.rest(); text == "" || r.yield(ikigai.Delta{Text: text}, nil) {
		r.yield(ikigai.Delta{}, err)
	}
}

func isEmpty(d ikigai.Delta) bool {
	return d.Text+d.Thinking+d.Refusal == "" && d.Call == nil && d.Usage == nil && d.Vendor == nil && d.Stop == "" &&
		d.Retry == nil && d.ResponseID == "" && d.ServedBy == ""
}
