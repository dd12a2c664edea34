package openai

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"time"

	"ikigai"
	"ikigai/internal/provider"
)

// chunk is one chunk of a streamed reply, or a whole reply that was not
// streamed: the two differ in delta and message alone.
type chunk struct {
	ID      string          `json:"id"`
	Object  string          `json:"object"`
	Model   string          `json:"model"`
	Choices []choice        `json:"choices"`
	Usage   *usage          `json:"usage"`
	Groq    *groq           `json:"x_groq"`
	Error   json.RawMessage `json:"error"`
	Message json.RawMessage `json:"message"` // of an error, with some vendors
	Detail  json.RawMessage `json:"detail"`  // likewise
}

// isError reports whether c is an error in place of a chunk, or beside one.
func (c *chunk) isError() bool {
	return says(c.Error) || c.Object == "error" || c.Choices == nil && (says(c.Message) || says(c.Detail))
}

// says reports whether raw holds anything.
func says(raw json.RawMessage) bool {
	switch string(raw) {
	case "", "null", `""`, "{}":
		return false
	}
	return true
}

type groq struct {
	Usage *usage `json:"usage"`
}

type choice struct {
	Index   int             `json:"index"`
	Delta   *delta          `json:"delta"`
	Message *delta          `json:"message"`
	Finish  string          `json:"finish_reason"`
	Error   json.RawMessage `json:"error"`
}

type delta struct {
	Content          content           `json:"content"`
	Refusal          string            `json:"refusal"`
	ReasoningContent text              `json:"reasoning_content"` // DeepSeek and others
	Reasoning        text              `json:"reasoning"`         // OpenRouter, Groq and others
	ReasoningDetails reasoningDetails  `json:"reasoning_details"` // the same once more, in parts
	Annotations      []json.RawMessage `json:"annotations"`
	Calls            []callPiece       `json:"tool_calls"`
}

// thinking returns the reasoning in d. Some vendors send it under two names.
func (d *delta) thinking() string {
	switch {
	case d.ReasoningContent != "":
		return string(d.ReasoningContent)
	case d.Reasoning != "":
		return string(d.Reasoning)
	case d.Content.thinking != "":
		return d.Content.thinking
	}
	return d.ReasoningDetails.text()
}

type callPiece struct {
	Index    *int     `json:"index"`
	ID       string   `json:"id"`
	Function function `json:"function"`
}

type function struct {
	Name      string `json:"name"`
	Arguments text   `json:"arguments"`
}

// Decode implements provider.Wire.
func (w *wire) Decode(reply *provider.Reply, yield func(ikigai.Delta) bool) error {
	d := &decoder{cfg: &w.cfg, yield: yield, finished: func() { reply.SetIdle(10 * time.Second) }}
	if err := d.read(reply); err != nil {
		return err
	}
	err := d.end()
	if d.done {
		reply.Drain()
	}
	return err
}

// decoder turns the chunks of one reply into deltas.
type decoder struct {
	cfg      *provider.Config
	yield    func(ikigai.Delta) bool
	finished func() // called when the finish_reason has come; may be nil
	newID    func() string
	plain    bool // only encoding/json

	id, servedBy string
	told         bool // id and servedBy have been yielded
	calls        calls
	usage        *ikigai.Usage
	finish       string
	done         bool // [DONE] has come
	replay       replay
}

// read decodes the chunks of src up to [DONE] or its end.
func (d *decoder) read(src io.Reader) (err error) {
	d.done, err = d.cfg.ReadPayloads(src, func(_ string, chunk []byte) error { return d.chunk(chunk) })
	switch told := new(ikigai.Error); {
	case err == nil || errors.Is(err, provider.ErrStopped):
		return err
	case !errors.As(err, &told) && d.finish != "":
		return nil // the reply has come to its end before it
	}
	return d.fail(d.cfg.Unreadable(err))
}

// fail returns err after what is known of the cost of the reply.
func (d *decoder) fail(err error) error {
	if d.usage != nil && d.told && !d.yield(ikigai.Delta{Usage: d.usage}) {
		return provider.ErrStopped
	}
	return err
}

// chunk takes in one chunk.
func (d *decoder) chunk(data []byte) error {
	if d.told && !d.plain {
		// Thinking may be wanted back, and the fast way does not tell its names apart.
		if p, ok := fast(data); ok && (p.thinking == "" || len(d.cfg.Quirks.Replay) == 0) {
			return d.fastPiece(p)
		}
	}
	var c chunk
	if err := json.Unmarshal(data, &c); err != nil && !errors.As(err, new(*json.UnmarshalTypeError)) {
		return d.cfg.Broken("holds a chunk that is no JSON")
	}
	d.id, d.servedBy = first(d.id, c.ID), first(d.servedBy, c.Model)
	if c.Groq != nil {
		d.setUsage(c.Groq.Usage)
	}
	d.setUsage(c.Usage)
	if c.isError() {
		return d.cfg.Fault(data)
	}
	for i := range c.Choices {
		if c.Choices[i].Index != 0 {
			continue // only one answer was asked for
		}
		if err := d.choice(&c.Choices[i]); err != nil {
			return err
		}
	}
	return nil
}

func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func (d *decoder) choice(c *choice) error {
	if says(c.Error) {
		return d.cfg.Fault(c.Error)
	}
	piece := c.Delta
	if piece == nil {
		piece = c.Message
	}
	if piece != nil {
		if err := d.piece(piece); err != nil {
			return err
		}
	}
	if c.Finish != "" {
		if d.finish == "" && d.finished != nil {
			d.finished()
		}
		d.finish = c.Finish
	}
	return nil
}

func (d *decoder) piece(p *delta) error {
	out := ikigai.Delta{Text: p.Content.text, Thinking: p.thinking(), Refusal: p.Refusal}
	if out.Text != "" || out.Thinking != "" || out.Refusal != "" {
		if !d.send(out) {
			return provider.ErrStopped
		}
	}
	if len(d.cfg.Quirks.Replay) > 0 {
		d.replay.add(p)
	}
	for i := range p.Calls {
		if call, ok := d.calls.add(&p.Calls[i]); ok && !d.send(ikigai.Delta{Call: &call}) {
			return provider.ErrStopped
		}
	}
	return nil
}

// fastPiece takes in what fast has found.
func (d *decoder) fastPiece(p piece) error {
	out := ikigai.Delta{Text: p.text, Thinking: p.thinking}
	if p.arguments != "" {
		call, _ := d.calls.add(&callPiece{Index: &p.index, Function: function{Arguments: text(p.arguments)}})
		out.Call = &call
	}
	if (out.Text != "" || out.Thinking != "" || out.Call != nil) && !d.send(out) {
		return provider.ErrStopped
	}
	return nil
}

// send yields a delta; the first one also says who answers.
func (d *decoder) send(out ikigai.Delta) bool {
	if !d.told {
		out.ResponseID, out.ServedBy = d.id, d.servedBy
		d.told = true
	}
	return d.yield(out)
}

// end yields the last delta, or returns why the reply is not whole.
func (d *decoder) end() error {
	stop, err := d.stop()
	if err != nil {
		return d.fail(err)
	}
	for _, call := range d.calls.withoutID(d.newID) {
		if !d.send(ikigai.Delta{Call: &call}) {
			return provider.ErrStopped
		}
	}
	if !d.send(ikigai.Delta{Stop: stop, Usage: d.usage, Vendor: d.replay.state(d.cfg)}) {
		return provider.ErrStopped
	}
	return nil
}

// stop says why the reply ended. Vendors do not agree whether a reply with
// calls ends with "stop" or "tool_calls": the calls decide.
func (d *decoder) stop() (ikigai.StopReason, error) {
	switch strings.ToLower(d.finish) {
	case "":
		if !d.done || !d.cfg.Quirks.DoneIsEnd {
			return "", d.cfg.Incomplete()
		}
	case "length", "max_tokens", "model_length":
		return ikigai.StopLength, nil
	case "content_filter", "safety", "sensitive", "recitation":
		return ikigai.StopFilter, nil
	case "error", "network_error", "insufficient_system_resource", "abort":
		return "", d.cfg.Broken(`ended with "` + d.finish + `"`)
	}
	if len(d.calls.all) > 0 {
		return ikigai.StopToolCalls, nil
	}
	return ikigai.StopEnd, nil
}

func randomID() string { return "call_" + rand.Text() }
