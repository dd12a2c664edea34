package gemini

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"ikigai"
)

// told is a stream of n events of text, as the vendor writes them.
func told(n int) []byte {
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, `data: {"candidates": [{"content": {"parts": [{"text": "line %05d of a reply, \"quoted\", with a line feed\n"}],"role": "model"},"index": 0}],"usageMetadata": {"promptTokenCount": 1290,"candidatesTokenCount": %d,"totalTokenCount": %d,"promptTokensDetails": [{"modality": "TEXT","tokenCount": 1290}],"thoughtsTokenCount": 199},"modelVersion": "gemini-2.5-flash","responseId": "wyawaZq1OqfNkdUPu_SioAU"}`+"\r\n\r\n", i, 12*i, 1489+12*i)
	}
	fmt.Fprint(&b, `data: {"candidates": [{"content": {"parts": [{"text": ""}],"role": "model"},"finishReason": "STOP","index": 0}],"modelVersion": "gemini-2.5-flash","responseId": "wyawaZq1OqfNkdUPu_SioAU"}`+"\r\n\r\n")
	return b.Bytes()
}

// BenchmarkDecode reads a reply of 10,000 events, and one ten times as long.
func BenchmarkDecode(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		for _, plain := range []bool{false, true} {
			b.Run(fmt.Sprintf("events=%d/plain=%v", n, plain), func(b *testing.B) {
				stream := told(n)
				b.SetBytes(int64(len(stream)))
				b.ReportAllocs()
				for b.Loop() {
					cfg := config
					var text strings.Builder
					d := &decoder{cfg: &cfg, plain: plain, yield: func(d ikigai.Delta) bool {
						text.WriteString(d.Text)
						return true
					}}
					if err := d.read(bytes.NewReader(stream)); err != nil || d.end() != nil || text.Len() != n*50 {
						b.Fatal(err, text.Len())
					}
				}
			})
		}
	}
}
