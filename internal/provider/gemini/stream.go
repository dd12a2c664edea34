package gemini

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"time"

	"ikigai"
	"ikigai/internal/provider"
	"ikigai/internal/wirejson"
)

// Decode implements provider.Wire.
func (w *wire) Decode(reply *provider.Reply, yield func(ikigai.Delta) bool) error {
	d := &decoder{cfg: &w.cfg, yield: yield, finished: func() { reply.SetIdle(10 * time.Second) }}
	if err := d.read(reply); err != nil {
		return err
	}
	return d.end()
}

// decoder turns the chunks of one reply into deltas.
type decoder struct {
	cfg      *provider.Config
	yield    func(ikigai.Delta) bool
	finished func()        // called when the finishReason has come; may be nil
	newID    func() string // of a call that comes without one; nil is a random one
	plain    bool          // only encoding/json

	id, servedBy string
	told         bool // id and servedBy have been yielded
	calls        int
	layout       provider.Layout
	sources      sources
	usage        usage
	finish       string
	why          string // more about finish, in words
	first        []byte // the first chunk that held anything
}

// errRepeats is returned when the reply begins once more after its end. The
// finishReason alone ends nothing: some servers have one in every chunk.
var errRepeats = errors.New("the reply comes once more")

// read decodes the chunks of src up to its end.
func (d *decoder) read(src io.Reader) error {
	_, err := d.cfg.ReadPayloads(src, func(_ string, chunk []byte) error { return d.chunk(chunk) })
	switch told := new(ikigai.Error); {
	case err == nil || errors.Is(err, provider.ErrStopped):
		return err
	case !errors.As(err, &told) && d.finish != "":
		return nil // the reply has come to its end before
	}
	return d.fail(d.cfg.Unreadable(err))
}

// fail returns err after what is known of the cost of the reply.
func (d *decoder) fail(err error) error {
	if spent := d.usage.tokens(); spent != nil && d.told && !d.yield(ikigai.Delta{Usage: spent}) {
		return provider.ErrStopped
	}
	return err
}

// chunk takes in one chunk.
func (d *decoder) chunk(data []byte) error {
	if d.finish != "" && bytes.Equal(data, d.first) {
		return errRepeats
	}
	if d.told && !d.plain {
		if p, ok := fast(data); ok {
			d.usage.add(p.usage)
			if p.thought {
				return d.send(ikigai.Delta{Thinking: p.text})
			}
			return d.text(p.text, nil)
		}
	}
	var c chunk
	if err := json.Unmarshal(data, &c); err != nil && !errors.As(err, new(*json.UnmarshalTypeError)) {
		return d.cfg.Broken("holds a chunk that is no JSON")
	}
	if c.ResponseID != "" {
		d.id = c.ResponseID
	}
	if c.ModelVersion != "" {
		d.servedBy = c.ModelVersion
	}
	d.usage.add(c.Usage)
	switch {
	case given(c.Error):
		return d.cfg.Fault(data)
	case c.PromptFeedback.BlockReason != "":
		return d.blocked(c.PromptFeedback)
	}
	for i := range c.Candidates {
		if c.Candidates[i].Index != 0 {
			continue // only one answer was asked for
		}
		if err := d.candidate(&c.Candidates[i]); err != nil {
			return err
		}
	}
	if d.first == nil && (d.told || d.layout != nil) {
		d.first = bytes.Clone(data)
	}
	return nil
}

// blocked returns the error of a request that the content filter has stopped.
func (d *decoder) blocked(f promptFeedback) error {
	message := f.BlockReason
	if f.Message != "" {
		message += ": " + f.Message
	}
	return d.cfg.Fault(wirejson.Marshal(map[string]any{"error": map[string]string{"code": "content_filter", "message": message}}))
}

func (d *decoder) candidate(c *candidate) error {
	for _, raw := range c.Content.Parts {
		if err := d.part(raw); err != nil {
			return err
		}
	}
	d.sources.add(c.sources)
	if c.FinishReason != "" {
		if d.finish == "" && d.finished != nil {
			d.finished()
		}
		d.finish, d.why = c.FinishReason, c.FinishMessage
	}
	return nil
}

// part takes in one part: text, thinking, a call, or something that only the
// vendor understands.
func (d *decoder) part(raw json.RawMessage) error {
	var p part
	if err := json.Unmarshal(raw, &p); err != nil && !errors.As(err, new(*json.UnmarshalTypeError)) {
		return d.cfg.Broken("holds a part that is no JSON")
	}
	switch {
	case p.Call != nil:
		return d.call(p.Call, p.Signature)
	case p.Thought:
		return d.thought(raw, &p)
	case p.Text != nil:
		return d.text(*p.Text, p.Signature)
	case p.Signature != nil && p.isBare(raw):
		return d.text("", p.Signature)
	case len(raw) > len("{}"):
		d.own(raw)
	}
	return nil
}

// own keeps a part as a block that the vendor wants back.
func (d *decoder) own(raw json.RawMessage) {
	d.layout = append(d.layout, provider.Block{Own: wirejson.AppendJSON(nil, raw)})
}

// thought takes in a summary of what the model thinks. The vendor does not want
// it back, unless it is signed.
func (d *decoder) thought(raw json.RawMessage, p *part) error {
	if p.Signature != nil {
		d.own(raw)
	}
	if p.Text == nil || *p.Text == "" {
		return nil
	}
	return d.send(ikigai.Delta{Thinking: *p.Text})
}

func (d *decoder) text(text string, signature json.RawMessage) error {
	switch {
	case text == "" && signature == nil:
		return nil
	case text == "":
		d.own(append(wirejson.AppendMember([]byte(`{"text":""`), "thoughtSignature", signature), '}'))
		return nil
	case signature == nil:
		d.layout.AddText(len(text))
	default:
		d.layout = append(d.layout, provider.Block{Text: len(text), Own: signature})
	}
	return d.send(ikigai.Delta{Text: text})
}

// call takes in a call, which comes whole.
func (d *decoder) call(c *functionCall, signature json.RawMessage) error {
	if given(c.PartialArgs) || c.WillContinue {
		return d.cfg.Broken("holds the arguments of a call in pieces, for which it was not asked")
	}
	out := ikigai.CallDelta{Index: d.calls, ID: c.ID, Name: c.Name, Arguments: "{}"}
	if out.ID == "" {
		out.ID = d.randomID()
	}
	if given(c.Args) {
		out.Arguments = string(wirejson.AppendJSON(nil, c.Args))
	}
	d.calls++
	d.layout = append(d.layout, provider.Block{Call: d.calls, Own: signature})
	return d.send(ikigai.Delta{Call: &out})
}

func (d *decoder) randomID() string {
	if d.newID != nil {
		return d.newID()
	}
	return "call_" + rand.Text()
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
	stop, err := d.stop()
	if err != nil {
		return d.fail(err)
	}
	return d.send(ikigai.Delta{Stop: stop, Usage: d.usage.tokens(), Vendor: d.state()})
}

// state returns what the vendor wants back, and what it has found in other
// places.
func (d *decoder) state() ikigai.VendorState {
	if own := d.sources.block(); own != nil {
		d.layout = append(d.layout, provider.Block{Own: own})
	}
	return d.layout.State(d.cfg.Name)
}

// stop says why the reply ended. There is no reason of its own for a reply with
// calls.
func (d *decoder) stop() (ikigai.StopReason, error) {
	switch d.finish {
	case "":
		return "", d.cfg.Incomplete()
	case "STOP":
		if d.calls > 0 {
			return ikigai.StopToolCalls, nil
		}
		return ikigai.StopEnd, nil
	case "MAX_TOKENS":
		return ikigai.StopLength, nil
	case "SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "MODEL_ARMOR", "LANGUAGE",
		"IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION":
		return ikigai.StopFilter, nil
	}
	// MALFORMED_FUNCTION_CALL, UNEXPECTED_TOOL_CALL, TOO_MANY_TOOL_CALLS, OTHER
	// and what is yet to be invented: whatever came of the reply is not whole.
	how := "ended with " + d.finish
	if d.why != "" {
		how += ": " + d.why
	}
	return "", d.cfg.Broken(how)
}
