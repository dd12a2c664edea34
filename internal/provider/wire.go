package provider

import (
	"context"
	"fmt"
	"iter"

	"ikigai"
)

// Wire is a vendor's interface: how a conversation is written for it, and how
// its replies are read. A Wire keeps nothing from one request to the next, so
// that several may be under way.
type Wire interface {
	// Path returns where the request goes: a path below the base URL, perhaps
	// with a query.
	Path(req ikigai.Request) string

	// Head returns what stands before the conversation: options and tools, and
	// the system prompt, in pieces that other requests are likely to begin with
	// as well. done is how many of the first messages are in it. It depends on
	// nothing of req but the system message, the tools, and what is no message;
	// if more messages follow, on none of them.
	Head(req ikigai.Request) (pieces [][]byte, done int)

	// Append appends messages, which are whole groups, and a comma after each
	// message of the wire, of which there is at least one. What it writes depends on nothing but the messages
	// and on last, which tells that nothing follows them.
	Append(b []byte, messages []ikigai.Message, last bool) []byte

	// Decode reads one reply, as a Decode does.
	Decode(reply *Reply, yield func(ikigai.Delta) bool) error
}

// Closing is what ends the body of a request, of whatever Wire: the list of
// messages stands last in it, so that a request begins with the one before.
const Closing = "]}"

// NewModel returns the model that cfg describes and that is spoken to over w.
// It does no I/O. systemInList tells that all pieces of the head but the first are
// messages, which count where w names one by its position.
func NewModel(cfg Config, w Wire, systemInList bool) ikigai.Model {
	return &model{cfg: cfg, wire: w, client: NewClient(cfg), systemInList: systemInList}
}

type model struct {
	cfg          Config
	wire         Wire
	client       *Client
	systemInList bool
}

// Stream implements ikigai.Model.
func (m *model) Stream(ctx context.Context, req ikigai.Request) iter.Seq2[ikigai.Delta, error] {
	return func(yield func(ikigai.Delta, error) bool) {
		if err := CheckChoice(req); err != nil {
			yield(ikigai.Delta{}, err)
			return
		}
		body, sent := Encode(m.cfg.Name, m.wire, req)
		if req.Sending != nil {
			req.Sending(sent)
		}
		if m.cfg.Unsent {
			return
		}
		for d, err := range m.client.Stream(ctx, m.wire.Path(req), body, m.wire.Decode) {
			if e, ok := err.(*ikigai.Error); ok {
				nameTool(e, req.Tools)
				if e.Message > 0 {
					e.Message = m.locate(req, e.Message-1) + 1
				}
			}
			if !yield(d, err) {
				return
			}
		}
	}
}

// locate returns the index of the message that the wire's message at the given
// index was made of, the last of several; -1 if there is none.
func (m *model) locate(req ikigai.Request, at int) int {
	messages := req.Messages
	pieces, from := m.wire.Head(req)
	if m.systemInList {
		for _, p := range pieces[1:] {
			at -= countMessages(p)
		}
	}
	for from < len(messages) && at >= 0 {
		end := from + 1
		for ikigai.Joins(messages, end) {
			end++
		}
		n := countMessages(m.wire.Append(nil, messages[from:end], end == len(messages)))
		switch {
		case at >= n:
		case n == end-from:
			return from + at
		default:
			return end - 1
		}
		at -= n
		from = end
	}
	return -1
}

// CheckChoice returns the error of a request that chooses a tool which is not
// there.
func CheckChoice(req ikigai.Request) error {
	if req.ToolChoice.Mode != ikigai.ToolChoiceNamed {
		return nil
	}
	for _, t := range req.Tools {
		if t.Name == req.ToolChoice.Name {
			return nil
		}
	}
	return &ikigai.Error{
		Kind: ikigai.ErrorUsage,
		What: fmt.Sprintf("There is no tool named %q to choose", req.ToolChoice.Name),
		Do:   "Choose auto, none, required or the name of a tool that is offered",
	}
}
