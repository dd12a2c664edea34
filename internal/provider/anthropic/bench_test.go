package anthropic

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"ikigai"
)

// written is the stream of a file_write in n pieces of some 20 bytes, spaced as
// the vendor spaces them.
func written(n int) []byte {
	var b bytes.Buffer
	send := func(kind, rest string) { fmt.Fprintf(&b, "event: %s\ndata: {\"type\":%q%s}\n\n", kind, kind, rest) }
	send("message_start", `,"message":{"id":"msg_1","model":"claude-x","usage":{"input_tokens":9,"output_tokens":1}}`)
	send("content_block_start", `,"index":0,"content_block":{"type":"tool_use","id":"toolu_1","name":"file_write","input":{}}`)
	for i := range n {
		send("content_block_delta", fmt.Sprintf(`,"index":0,"delta":{"type":"input_json_delta","partial_json":"line %05d of \"text\"\\n"}%s`, i, "          "[:i%10]))
	}
	send("content_block_stop", `,"index":0`)
	send("message_delta", `,"delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":9}`)
	send("message_stop", "")
	return b.Bytes()
}

// BenchmarkDecode decodes streams of several lengths: the time for a delta is
// the same in all of them.
func BenchmarkDecode(b *testing.B) {
	for _, n := range []int{1000, 10000, 100000} {
		for _, plain := range []bool{false, true} {
			b.Run(fmt.Sprintf("events=%d/plain=%v", n, plain), func(b *testing.B) {
				stream := written(n)
				b.SetBytes(int64(len(stream)))
				b.ReportAllocs()
				for b.Loop() {
					cfg := config
					var args strings.Builder
					d := &decoder{cfg: &cfg, plain: plain, yield: func(d ikigai.Delta) bool {
						if d.Call != nil {
							args.WriteString(d.Call.Arguments)
						}
						return true
					}}
					if err := d.read(bytes.NewReader(stream)); err != nil || d.end() != nil || args.Len() != n*22 {
						b.Fatal(err, args.Len())
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/delta")
			})
		}
	}
}
