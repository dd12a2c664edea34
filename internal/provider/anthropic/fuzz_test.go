package anthropic

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ikigai"
	"ikigai/internal/provider"
	"ikigai/internal/providertest"
)

var config = provider.Config{Name: "anthropic/claude-x", Model: "claude-x"}

// FuzzRequest holds that a request with a memo has the same bytes as one
// without, whatever was sent before, that it is valid JSON, and that what is
// told of it is true, with the marks of a cache and without. S2.34, P27.
func FuzzRequest(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(seed, seed+1, seed%2 == 0)
	}
	f.Fuzz(func(t *testing.T, a, b uint64, marks bool) {
		cfg := config
		cfg.Quirks.CacheMarks = marks
		providertest.CheckGrowth(t, a, b, func(req ikigai.Request) ([]byte, ikigai.Sent) {
			body, sent := provider.Encode(cfg.Name, &wire{cfg}, req)
			return bytes.Join(body, nil), sent
		})
	})
}

// events decodes events one after the other, the fast way or the plain one.
func events(plain bool, all ...string) (deltas []ikigai.Delta, kept provider.Layout, failure string) {
	cfg := config
	d := &decoder{cfg: &cfg, plain: plain, yield: func(d ikigai.Delta) bool { deltas = append(deltas, d); return true }}
	for _, e := range all {
		if err := d.event([]byte(e)); err != nil {
			failure = err.Error()
			break
		}
	}
	return deltas, layout(d.blocks), failure
}

// openings begin a block of each kind.
var openings = []string{
	`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
	`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"1","name":"f","input":{}}}`,
	`{"type":"content_block_start","index":2,"content_block":{"type":"thinking","thinking":"","signature":"x"}}`,
	`{"type":"content_block_start","index":3,"content_block":{"type":"server_tool_use","id":"2","name":"g","input":{}}}`,
}

// fastEvents are events as the vendor sends them most.
var fastEvents = []string{
	`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" wörld\n\"\\/\t\r"}}`,
	`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}          }`,
	`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"a\":\"b\\n"}  }`,
	`{"type":"content_block_delta","index":2,"delta":{"type":"thinking_delta","thinking":"hm"}}`,
}

// The fast way is taken where it matters.
func TestFastIsTaken(t *testing.T) {
	for _, e := range fastEvents {
		if _, ok := fast([]byte(e)); !ok {
			t.Errorf("not taken: %s", e)
		}
	}
}

// FuzzFast holds that the fast way through an event, where it is taken, leads
// to the same deltas as encoding/json.
func FuzzFast(f *testing.F) {
	for _, s := range fastEvents {
		f.Add(s)
	}
	for _, s := range []string{
		`{}`, `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":null}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"\u00e9\ud800"}}`,
		`{"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"{}"}}`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"a"}}`,
		`{"type":"content_block_delta","index":00,"delta":{"type":"text_delta","text":"a"}}`,
		`{"type":"content_block_delta","index":9,"delta":{"type":"text_delta","text":"a"}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"citations_delta","citation":{"type":"x"}}}`,
		`{"type":"content_block_start","index":3,"content_block":null}`,
		`{"type":"content_block_delta","index":3,"delta":{"type":"x","input":null,"name":"more"}}`,
		`{"type":"message_delta","delta":null}`, `{"type":"message","content":[7,null,{"type":"text","text":"a"}]}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, event string) {
		all := append(openings[:len(openings):len(openings)], event, event)
		wantDeltas, wantLayout, wantFailure := events(true, all...)
		deltas, layout, failure := events(false, all...)
		if diff := cmp.Diff(wantDeltas, deltas) + cmp.Diff(wantLayout, layout) + cmp.Diff(wantFailure, failure); diff != "" {
			t.Fatalf("(-plain +fast):\n%s", diff)
		}
	})
}

// FuzzStream holds that decoding never panics, that it does not matter in what
// pieces a stream comes, that the deltas keep to the contract, and that what
// the vendor is given back makes a valid request. P2, P4.
func FuzzStream(f *testing.F) {
	stream := "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"usage\":{\"input_tokens\":1}}}\n\n"
	for _, e := range append(openings, fastEvents...) {
		stream += "data: " + e + "\n\n"
	}
	f.Add(stream+"data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"}}\n\ndata: {\"type\":\"message_stop\"}\n\n", 20)
	f.Add(`{"type":"message","content":[{"type":"text","text":"a"},{"type":"x","y":1}],"stop_reason":"end_turn"}`, 3)
	f.Add("event: error\ndata: {}\n\nerror: x\n\n{\"detail\":\"y\"}\n\n", 30)
	f.Fuzz(func(t *testing.T, stream string, i int) {
		i = min(max(i, 0), len(stream))
		whole := collect(t, []string{stream})
		if diff := cmp.Diff(whole.String(), collect(t, []string{stream[:i], stream[i:]}).String()); diff != "" {
			t.Fatalf("(-whole +split):\n%s", diff)
		}
		if whole.Err != nil {
			return
		}
		wire := &wire{config}
		if b := wire.Append(nil, messagesOf(whole), false); len(b) > 0 && !json.Valid(b[:len(b)-1]) {
			t.Fatalf("the reply is sent back as %s", b)
		}
	})
}

// messagesOf returns a reply as a conversation keeps it.
func messagesOf(r providertest.Reply) []ikigai.Message {
	messages := []ikigai.Message{{Kind: ikigai.KindAssistant, Content: r.Text, Vendor: r.Vendor}}
	for _, c := range r.Calls {
		messages = append(messages, ikigai.Message{Kind: ikigai.KindToolCall, Call: &c})
	}
	return messages
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
	if err == nil {
		err = d.end()
	}
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
