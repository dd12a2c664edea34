package openai

import (
	"bytes"
	"errors"
	"io"
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

// outcome is what a decoder makes of some chunks.
type outcome struct {
	Deltas []ikigai.Delta
	Err    string
	Usage  *ikigai.Usage
	Finish string
	Calls  int
	Vendor ikigai.VendorState
}

// chunks decodes chunks one after the other, the fast way or the plain one, for
// a vendor that wants the given members back.
func chunks(plain bool, replay []string, all ...string) outcome {
	cfg := config
	cfg.Quirks.Replay = replay
	var o outcome
	d := &decoder{cfg: &cfg, plain: plain, yield: func(d ikigai.Delta) bool { o.Deltas = append(o.Deltas, d); return true }}
	for _, c := range all {
		if err := d.chunk([]byte(c)); err != nil {
			o.Err = err.Error()
			break
		}
	}
	o.Usage, o.Finish, o.Calls, o.Vendor = d.usage, d.finish, len(d.calls.all), d.replay.state(&cfg)
	return o
}

const opening = `{"id":"c","model":"m","choices":[{"index":0,"delta":{"content":"x","tool_calls":[{"index":0,"id":"1","function":{"name":"f","arguments":""}}]}}]}`

// FuzzFast holds that the fast way through a chunk, where it is taken, leads
// to the same deltas as encoding/json.
func FuzzFast(f *testing.F) {
	for _, s := range fastChunks {
		f.Add(s)
	}
	for _, s := range []string{
		opening, `{}`, `{"choices":[{"index":0,"delta":{}}],"CHOICES":null}`, `{"choices":[{"index":0,"delta":{"content":"a"},"delta":{"content":""}}]}`,
		`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\u00e9\ud800"}}]}}],"error":null}`,
		`{"choices":[{"index":0,"delta":{"content":"a","content":null,"reasoning":"b"}}],"usage":null}`,
		`{"choices":[{"index":1,"delta":{"content":"a"}}]}`, `{"choices":null}`, `{"object":"error"}`, `{"id":"\u0000","created":1e5}`,
		`{"choices":[{"delta":{"tool_calls":[{"index":00,"function":{"arguments":"a"}}]}}]}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, chunk string) {
		for _, replay := range [][]string{nil, {"reasoning_content", "reasoning", "reasoning_details", "content", "annotations"}} {
			if diff := cmp.Diff(chunks(true, replay, opening, chunk, chunk), chunks(false, replay, opening, chunk, chunk)); diff != "" {
				t.Fatalf("%v (-plain +fast):\n%s", replay, diff)
			}
		}
	})
}

// fastChunks are chunks as vendors send them most.
var fastChunks = []string{
	`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1767213424,"model":"gpt-5","service_tier":"default","system_fingerprint":null,"choices":[{"index":0,"delta":{"content":" wörld\n\"\\/\t\r"},"logprobs":null,"finish_reason":null}],"usage":null,"obfuscation":"x"}`,
	`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1767213424,"model":"gpt-5","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\":\"b\\n"}}]},"finish_reason":null}]}`,
	`{"choices":[{"delta":{"role":"assistant","content":null,"reasoning_content":"a"},"index":0}]}`,
	`{"choices":[{"delta":{"content":"","reasoning":"b"},"index":0}]}`,
	`{"choices":[{"delta":{},"index":0}]}`,
}

// The fast way is taken where it matters.
func TestFastIsTaken(t *testing.T) {
	for _, c := range fastChunks {
		if _, ok := fast([]byte(c)); !ok {
			t.Errorf("not taken: %s", c)
		}
	}
}

// FuzzStream holds that decoding never panics, that it does not matter in what
// pieces a stream comes, and that the deltas keep to the contract.
func FuzzStream(f *testing.F) {
	f.Add("data: "+opening+"\n\ndata: "+fastChunks[0]+"\n\ndata: [DONE]\n\n", 20)
	f.Add(`{"choices":[{"index":0,"message":{"content":"a"},"finish_reason":"stop"}]}`, 3)
	f.Add("event: error\ndata: {}\n\nerror: x\n\n{\"detail\":\"y\"}\n\n", 30)
	f.Fuzz(func(t *testing.T, stream string, i int) {
		i = min(max(i, 0), len(stream))
		whole, split := collect(t, []string{stream}).String(), collect(t, []string{stream[:i], stream[i:]}).String()
		if diff := cmp.Diff(whole, split); diff != "" {
			t.Fatalf("(-whole +split):\n%s", diff)
		}
	})
}

// collect decodes a stream that comes in the given pieces.
func collect(t testing.TB, pieces []string) providertest.Reply {
	t.Helper()
	var reply providertest.Reply
	cfg := config
	d := &decoder{cfg: &cfg, newID: func() string { return "made up" }, yield: func(d ikigai.Delta) bool {
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
