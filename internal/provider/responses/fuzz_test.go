package responses

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ikigai"
	"ikigai/internal/provider"
	"ikigai/internal/providertest"
)

var config = provider.Config{Name: "openai/gpt-x", Model: "gpt-x"}

// FuzzRequest holds that a request with a memo has the same bytes as one
// without, whatever was sent before, that it is valid JSON, and that what is
// told of it is true. S2.34, P27.
func FuzzRequest(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(seed, seed+1)
	}
	f.Fuzz(func(t *testing.T, a, b uint64) { providertest.CheckGrowth(t, a, b, encode) })
}

func encode(req ikigai.Request) ([]byte, ikigai.Sent) {
	body, sent := provider.Encode(config.Name, &wire{config}, req)
	return bytes.Join(body, nil), sent
}

// outcome is what a decoder makes of some events.
type outcome struct {
	Deltas []ikigai.Delta
	Err    string
	State  ikigai.VendorState
}

// events decodes events one after the other, the fast way or the plain one.
func events(plain bool, all ...string) outcome {
	cfg := config
	var o outcome
	d := &decoder{cfg: &cfg, plain: plain, yield: func(d ikigai.Delta) bool { o.Deltas = append(o.Deltas, d); return true }}
	for _, e := range all {
		if err := d.event("", []byte(e)); err != nil {
			o.Err = err.Error()
			break
		}
	}
	o.State = d.state()
	return o
}

var opening = []string{
	`{"type":"response.created","response":{"id":"r","model":"m"}}`,
	`{"type":"response.output_item.added","output_index":0,"item":{"id":"rs","type":"reasoning","summary":[]}}`,
	`{"type":"response.output_item.added","output_index":1,"item":{"id":"msg","type":"message","content":[]}}`,
	`{"type":"response.output_item.added","output_index":2,"item":{"id":"fc","type":"function_call","call_id":"c","name":"f","arguments":""}}`,
}

// FuzzFast holds that the fast way through an event, where it is taken, leads
// to the same deltas as encoding/json.
func FuzzFast(f *testing.F) {
	for _, s := range fastEvents {
		f.Add(s)
	}
	for _, s := range []string{
		`{}`, `{"type":"response.output_text.delta","output_index":0,"delta":"a"}`,
		`{"type":"response.output_text.delta","output_index":1,"delta":"a","delta":"b"}`,
		`{"type":"response.output_text.delta","TYPE":"error","output_index":1,"delta":"a"}`,
		`{"type":"response.output_text.delta","output_index":1,"delta":null}`,
		`{"type":"response.output_text.delta","output_index":01,"delta":"\u00e9\ud800"}`,
		`{"type":"response.reasoning_text.delta","output_index":0,"content_index":3,"summary_index":2,"delta":"\n"}`,
		`{"type":"response.refusal.delta","output_index":1,"delta":"no"}`,
		`{"type":"response.output_text.delta","item_id":"msg","delta":"a","logprobs":[{"token":"a"}]}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, event string) {
		all := append(opening[:len(opening):len(opening)], fastEvents[0], event, event)
		if diff := cmp.Diff(events(true, all...), events(false, all...)); diff != "" {
			t.Fatalf("(-plain +fast):\n%s", diff)
		}
	})
}

// fastEvents are events as vendors send them most.
var fastEvents = []string{
	`{"type":"response.output_text.delta","sequence_number":4,"item_id":"msg","output_index":1,"content_index":0,"delta":" wörld\n\"\\/\t\r","logprobs":[],"obfuscation":"gSUpjIn0Zhu"}`,
	`{"sequence_number":12,"type":"response.reasoning_summary_text.delta","delta":"a","item_id":"rs","output_index":0,"summary_index":0}`,
	`{"type":"response.reasoning_text.delta","sequence_number":1,"item_id":"rs","output_index":0,"content_index":0,"delta":"b"}`,
	`{"type":"response.function_call_arguments.delta","sequence_number":5,"item_id":"fc","output_index":2,"delta":"{\"a\":\"b\\n","obfuscation":"x"}`,
	`{"type":"response.refusal.delta","sequence_number":5,"item_id":"msg","output_index":1,"content_index":0,"delta":"I"}`,
}

// The fast way is taken where it matters.
func TestFastIsTaken(t *testing.T) {
	for _, e := range fastEvents {
		if _, ok := fast([]byte(e)); !ok {
			t.Errorf("not taken: %s", e)
		}
	}
}

// FuzzStream holds that decoding never panics, that it does not matter in what
// pieces a stream comes, that the deltas keep to the contract, and that what is
// to go back with the reply fits it.
func FuzzStream(f *testing.F) {
	stream := ""
	for _, e := range append(opening, fastEvents...) {
		stream += "data: " + e + "\n\n"
	}
	f.Add(stream+`data: {"type":"response.completed","response":{"status":"completed"}}`+"\n\n", 20)
	f.Add(`{"object":"response","status":"completed","output":[{"type":"message","id":"m","content":[{"type":"output_text","text":"a"},{"type":"refusal","refusal":"b"}]}]}`, 3)
	f.Add("event: error\ndata: {}\n\nerror: x\n\n{\"detail\":\"y\"}\n\n", 30)
	f.Fuzz(func(t *testing.T, stream string, i int) {
		i = min(max(i, 0), len(stream))
		reply := collect(t, []string{stream})
		split := collect(t, []string{stream[:i], stream[i:]})
		if diff := cmp.Diff(reply.String(), split.String()); diff != "" {
			t.Fatalf("(-whole +split):\n%s", diff)
		}
		if state := reply.Vendor; state != nil && provider.LayoutOf(config.Name, messagesOf(reply)) == nil {
			t.Fatalf("%s does not fit %s", state, reply)
		}
	})
}

// messagesOf returns a reply as the conversation keeps it.
func messagesOf(r providertest.Reply) []ikigai.Message {
	var group []ikigai.Message
	if text := r.Text + r.Refusal; text != "" || len(r.Calls) == 0 {
		group = append(group, ikigai.Message{Kind: ikigai.KindAssistant, Content: text})
	}
	for i := range r.Calls {
		group = append(group, ikigai.Message{Kind: ikigai.KindToolCall, Call: &r.Calls[i]})
	}
	group[0].Vendor = r.Vendor
	return group
}

// collect decodes a stream that comes in the given pieces.
func collect(t testing.TB, pieces []string) providertest.Reply {
	t.Helper()
	var reply providertest.Reply
	cfg := config
	d := &decoder{cfg: &cfg, yield: func(d ikigai.Delta) bool {
		if err := reply.Add(d); err != nil {
			t.Fatal(err)
		}
		return true
	}}
	err := d.read(&pieceReader{pieces})
	if reply.Err = err; (err == nil) != (reply.Stop != "") {
		t.Fatalf("error %v, stop %q", err, reply.Stop)
	}
	if err != nil && !errors.As(err, new(*ikigai.Error)) {
		t.Fatal(err)
	}
	return reply
}

// pieceReader reads one piece at a time.
type pieceReader struct{ pieces []string }

func (r *pieceReader) Read(p []byte) (int, error) {
	for len(r.pieces) > 0 && r.pieces[0] == "" {
		r.pieces = r.pieces[1:]
	}
	if len(r.pieces) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.pieces[0])
	r.pieces[0] = r.pieces[0][n:]
	return n, nil
}

// randomRequest returns a request that keeps to the limits of the vendor.
func randomRequest(seed uint64) ikigai.Request {
	req := providertest.RandomRequest(rand.New(rand.NewPCG(seed, 1)))
	if req.MaxOutput > 0 {
		req.MaxOutput += 16
	}
	return req
}
