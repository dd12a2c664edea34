package responses

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"ikigai"
)

// streamed is a stream of n events that bring text, and those around them.
func streamed(n int) []byte {
	var b bytes.Buffer
	event := func(kind, rest string) {
		fmt.Fprintf(&b, "event: %s\ndata: {\"type\":\"%s\",%s}\n\n", kind, kind, rest)
	}
	var all strings.Builder
	event("response.created", `"sequence_number":0,"response":{"id":"resp_1","model":"gpt-x","status":"in_progress","output":[]}`)
	event("response.output_item.added", `"sequence_number":1,"output_index":0,"item":{"id":"msg_1","type":"message","status":"in_progress","content":[],"role":"assistant"}`)
	for i := range n {
		piece := fmt.Sprintf(" word %d\n", i)
		all.WriteString(piece)
		delta, _ := json.Marshal(piece)
		event("response.output_text.delta", fmt.Sprintf(`"sequence_number":%d,"item_id":"msg_07315d23576898080068e95cc6","output_index":0,"content_index":0,"delta":%s,"logprobs":[],"obfuscation":"gSUpjIn0Zhu"`, i, delta))
	}
	text, _ := json.Marshal(all.String())
	item := `{"id":"msg_1","type":"message","status":"completed","content":[{"type":"output_text","annotations":[],"logprobs":[],"text":` + string(text) + `}],"role":"assistant"}`
	event("response.output_item.done", `"sequence_number":9,"output_index":0,"item":`+item)
	event("response.completed", `"sequence_number":9,"response":{"id":"resp_1","model":"gpt-x","status":"completed","output":[`+item+`],"usage":{"input_tokens":1,"output_tokens":2}}`)
	return b.Bytes()
}

// BenchmarkDecode takes the same for each event, however many there are.
func BenchmarkDecode(b *testing.B) {
	for _, n := range []int{1000, 10000, 100000} {
		for _, plain := range []bool{false, true} {
			b.Run(fmt.Sprintf("events=%d/plain=%v", n, plain), func(b *testing.B) {
				stream := streamed(n)
				b.SetBytes(int64(len(stream)))
				b.ReportAllocs()
				for b.Loop() {
					cfg := config
					deltas := 0
					d := &decoder{cfg: &cfg, plain: plain, yield: func(ikigai.Delta) bool { deltas++; return true }}
					if err := d.read(bytes.NewReader(stream)); err != nil || deltas != n+1 {
						b.Fatal(err, deltas)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/event")
			})
		}
	}
}
