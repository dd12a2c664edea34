package anthropic

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"

	"ikigai"
	"ikigai/internal/provider"
)

// Decode implements provider.Wire.
func (w *wire) Decode(reply *provider.Reply, yield func(ikigai.Delta) bool) error {
	d := &decoder{cfg: &w.cfg, yield: yield}
	if err := d.read(reply); err != nil {
		return err
	}
	err := d.end()
	if d.ended {
		reply.Drain()
	}
	return err
}

// decoder turns the events of one reply into deltas.
type decoder struct {
	cfg   *provider.Config
	yield func(ikigai.Delta) bool
	plain bool // only encoding/json

	id, servedBy string
	told         bool           // id and servedBy have been yielded
	blocks       []*block       // in their order
	open         map[int]*block // by their number on the wire
	calls        int
	usage        usage
	ending       ending
	ended        bool // message_stop has come
}

// errEnded ends the reading of a reply that has come to its end.
var errEnded = errors.New("the reply has ended")

// read decodes the events of src up to the last one or its end.
func (d *decoder) read(src io.Reader) error {
	_, err := d.cfg.ReadPayloads(src, func(_ string, data []byte) error { return d.event(data) })
	switch {
	case errors.Is(err, errEnded):
		d.ended = true
		return nil
	case err == nil || errors.Is(err, provider.ErrStopped):
		return err
	}
	return d.fail(d.cfg.Unreadable(err))
}

// fail returns err after what is known of the cost of the reply.
func (d *decoder) fail(err error) error {
	if usage := d.usage.total(); usage != nil && d.told && !d.yield(ikigai.Delta{Usage: usage}) {
		return provider.ErrStopped
	}
	return err
}

// event takes in one event. The error is errEnded after the last.
func (d *decoder) event(data []byte) error {
	if !d.plain {
		if p, ok := fast(data); ok {
			if b := d.open[p.index]; b != nil && b.kind == p.kind {
				return d.piece(b, p.text)
			}
		}
	}
	data = bytes.ToValidUTF8(data, []byte("\uFFFD")) // some of it is kept as it is
	var e event
	if err := json.Unmarshal(data, &e); err != nil && !errors.As(err, new(*json.UnmarshalTypeError)) {
		return d.cfg.Broken("holds an event that is no JSON")
	}
	switch e.Type {
	case "message_start":
		if len(d.blocks) > 0 { // a gateway has asked again, and joined both replies
			return d.cfg.Broken("begins anew in its middle")
		}
		if e.Message != nil {
			d.begin(e.Message)
		}
	case "content_block_start":
		return d.start(e.Index, e.Block)
	case "content_block_delta":
		return d.delta(e.Index, e.Delta)
	case "content_block_stop":
		return d.stop(d.open[e.Index])
	case "message_delta":
		d.usage.add(e.Usage)
		_ = json.Unmarshal(e.Delta, &d.ending) // without a reason the reply is not whole
	case "message_stop":
		return errEnded
	case "message":
		return d.whole(&e.message)
	case "error":
		return d.cfg.Fault(data)
	default: // ping, and what is yet to be invented
		if len(e.Error) > 0 {
			return d.cfg.Fault(data)
		}
	}
	return nil
}

// whole takes in a reply that was not streamed.
func (d *decoder) whole(m *message) error {
	d.begin(m)
	for i, raw := range m.Content {
		if err := d.start(i, raw); err != nil {
			return err
		}
	}
	d.ending = m.ending
	return errEnded
}

// begin takes in who answers, and the cost so far.
func (d *decoder) begin(m *message) {
	d.id, d.servedBy = m.ID, m.Model
	d.usage.add(m.Usage)
}

// start begins a block with what it holds already.
func (d *decoder) start(index int, raw json.RawMessage) error {
	var begun struct {
		delta
		ID, Name  string
		Citations []json.RawMessage
	}
	_ = json.Unmarshal(raw, &begun) // what is of another type is left out
	b := &block{kind: begun.Type, citations: begun.Citations, members: membersOf(raw)}
	if d.open == nil {
		d.open = map[int]*block{}
	}
	d.open[index] = b
	d.blocks = append(d.blocks, b)
	switch b.kind {
	case kindText:
		return d.piece(b, begun.Text)
	case kindThinking:
		b.signature = []byte(begun.Signature)
		return d.piece(b, begun.Thinking)
	case kindCall:
		b.call = d.calls
		d.calls++
		return d.send(ikigai.Delta{Call: &ikigai.CallDelta{Index: b.call, ID: begun.ID, Name: begun.Name}})
	}
	return nil
}

// delta takes in a piece of a block.
func (d *decoder) delta(index int, raw json.RawMessage) error {
	b := d.open[index]
	if b == nil {
		return d.cfg.Broken("holds a piece of a block that never began")
	}
	var p delta
	_ = json.Unmarshal(raw, &p) // what is of another type is left out
	switch {
	case b.isOwn() && p.Type == "input_json_delta":
		b.input = append(b.input, p.Input...)
	case b.isOwn():
		b.join(raw)
	case b.kind == kindText:
		if len(p.Citation) > 0 {
			b.citations = append(b.citations, p.Citation)
		}
		return d.piece(b, p.Text)
	case b.kind == kindThinking:
		b.signature = append(b.signature, p.Signature...)
		return d.piece(b, p.Thinking)
	case b.kind == kindCall:
		return d.piece(b, p.Input)
	}
	return nil
}

// piece takes in more of the text, the thinking or the input of a block.
func (d *decoder) piece(b *block, more string) error {
	if more == "" {
		return nil
	}
	switch b.kind {
	case kindText:
		b.text += len(more)
		b.said = b.said || !isBlank(more)
		return d.send(ikigai.Delta{Text: more})
	case kindThinking:
		b.thinking = append(b.thinking, more...)
		return d.send(ikigai.Delta{Thinking: more})
	}
	b.pieces = true
	return d.send(ikigai.Delta{Call: &ikigai.CallDelta{Index: b.call, Arguments: more}})
}

// stop ends a block. Input of which no piece has come is what the call began
// with.
func (d *decoder) stop(b *block) error {
	if b == nil || b.ended {
		return nil
	}
	b.ended = true
	if b.kind == kindCall && !b.pieces {
		return d.piece(b, string(b.members["input"]))
	}
	return nil
}

// send yields a delta; the first one also says who answers.
func (d *decoder) send(out ikigai.Delta) error {
	if !d.told {
		out.ResponseID, out.ServedBy = d.id, d.servedBy
		d.told = true
	}
	if !d.yield(out) {
		return provider.ErrStopped
	}
	return nil
}

// end yields the last delta, or returns why the reply is not whole.
func (d *decoder) end() error {
	if !d.ended || d.ending.Reason == "" {
		return d.fail(d.cfg.Incomplete())
	}
	for _, b := range d.blocks {
		if err := d.stop(b); err != nil {
			return err
		}
	}
	return d.send(ikigai.Delta{
		Stop: d.reason(), Refusal: d.refusal(), Usage: d.usage.total(), Vendor: layout(d.blocks).State(d.cfg.Name),
	})
}

// refusal returns the words for a refusal, apart from what was said before it.
func (d *decoder) refusal() string {
	words := d.ending.Details.Explanation
	if words != "" && slices.ContainsFunc(d.blocks, func(b *block) bool { return b.said }) {
		return "\n\n" + words
	}
	return words
}

// reason says why the reply ended. One that the vendor has paused is not whole,
// and nobody goes on with it.
func (d *decoder) reason() ikigai.StopReason {
	switch d.ending.Reason {
	case "max_tokens", "model_context_window_exceeded", "pause_turn":
		return ikigai.StopLength
	case "refusal":
		return ikigai.StopFilter
	}
	if d.calls > 0 {
		return ikigai.StopToolCalls
	}
	return ikigai.StopEnd
}
