package responses

import (
	"encoding/json"
	"errors"
	"io"
	"strings"

	"ikigai"
	"ikigai/internal/provider"
)

// Decode implements provider.Wire.
func (w *wire) Decode(reply *provider.Reply, yield func(ikigai.Delta) bool) error {
	d := &decoder{cfg: &w.cfg, yield: yield}
	if err := d.read(reply); err != nil {
		return err
	}
	reply.Drain()
	return nil
}

// decoder turns the events of one reply into deltas.
type decoder struct {
	cfg   *provider.Config
	yield func(ikigai.Delta) bool
	plain bool // only encoding/json

	id, servedBy string
	told         bool // id and servedBy have been yielded
	usage        *ikigai.Usage

	items   []*item // in the order in which they began
	calls   int
	spoke   *item // that the last text came from
	mixed   bool  // texts came in another order than their items
	thought place // of the last piece of thinking
}

// errEnd is returned when the last event has come.
var errEnd = errors.New("the reply is whole")

// read decodes the events of src up to the last one.
func (d *decoder) read(src io.Reader) error {
	_, err := d.cfg.ReadPayloads(src, d.event)
	switch {
	case err == nil:
		return d.fail(d.cfg.Incomplete())
	case errors.Is(err, errEnd):
		return nil
	case errors.Is(err, provider.ErrStopped):
		return err
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

// event takes in one event. name is its type as the framing tells it.
func (d *decoder) event(name string, data []byte) error {
	if d.told && !d.plain {
		if p, ok := fast(data); ok {
			return d.piece(p.channel, d.find(p.channel.kind(), p.index, ""), p.part, p.text)
		}
	}
	var e event
	if err := json.Unmarshal(data, &e); err != nil && !errors.As(err, new(*json.UnmarshalTypeError)) {
		return d.cfg.Broken("holds an event that is no JSON")
	}
	if e.Type == "" {
		e.Type = name
	}
	if c, ok := channels[e.Type]; ok {
		return d.piece(c, d.find(c.kind(), e.index(), e.ItemID), e.part(), e.Delta)
	}
	switch status, _ := strings.CutPrefix(e.Type, "response."); status {
	case "created", "queued":
		d.begin(&e.Response)
	case "output_item.added":
		return d.added(e.index(), e.Item)
	case "output_item.done":
		return d.done(e.index(), e.Item)
	case "function_call_arguments.done":
		it := d.find(arguments.kind(), e.index(), e.ItemID)
		return d.argue(it, "", "", it.beyond(string(e.Arguments)))
	case "completed", "incomplete", "failed", "cancelled":
		return d.end(status, &e.Response)
	case "error":
		return d.cfg.Fault(data)
	default:
		switch {
		case e.Object == "response":
			var r response
			_ = json.Unmarshal(data, &r) // what has another type than it should is not there
			return d.end("", &r)
		case says(e.Error), e.Type == "" && (says(e.Message) || says(e.Detail)):
			return d.cfg.Fault(data)
		}
	}
	return nil // of the rest, such as what a server tells of its own work, nothing is new
}

// begin takes in who answers.
func (d *decoder) begin(r *response) {
	d.id, d.servedBy = first(d.id, r.ID), first(d.servedBy, r.Model)
	if r.Usage != nil {
		d.usage = r.Usage.count()
	}
}

func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// end takes in the reply as a whole, which is the last event. status is what
// the event says of it.
func (d *decoder) end(status string, r *response) error {
	d.begin(r)
	if err := d.complete(r.Output); err != nil {
		return err
	}
	stop, err := d.stop(first(r.Status, status), r)
	if err != nil {
		return err
	}
	if !d.send(ikigai.Delta{Stop: stop, Usage: d.usage, Vendor: d.state()}) {
		return provider.ErrStopped
	}
	return errEnd
}

// stop says why the reply ended, or what is wrong with it.
func (d *decoder) stop(status string, r *response) (ikigai.StopReason, error) {
	switch status {
	case "completed":
		if d.calls > 0 {
			return ikigai.StopToolCalls, nil
		}
		return ikigai.StopEnd, nil
	case "incomplete":
		if r.Incomplete.Reason == "content_filter" {
			return ikigai.StopFilter, nil
		}
		return ikigai.StopLength, nil
	case "failed", "cancelled":
		if says(r.Error) {
			return "", d.cfg.Fault(r.Error)
		}
		return "", d.cfg.Broken(`ended with "` + status + `"`)
	}
	return "", d.cfg.Incomplete()
}

// send yields a delta; the first one also says who answers.
func (d *decoder) send(out ikigai.Delta) bool {
	if !d.told {
		out.ResponseID, out.ServedBy = d.id, d.servedBy
		d.told = true
	}
	return d.yield(out)
}
