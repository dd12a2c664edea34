package textmode

import (
	"encoding/json"
	"strings"
	"testing"

	"ikigai"
)

// BenchmarkReply reads a reply that comes in pieces of 20 bytes: a megabyte of
// text, or a call that writes one.
func BenchmarkReply(b *testing.B) {
	text := strings.Repeat("some text in a line of no great length\n", 26000)
	content, _ := json.Marshal(text)
	for name, reply := range map[string]string{
		"text": text,
		"call": `{"tool":"glob","params":{"content":` + string(content) + `}}`,
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(reply)))
			b.ReportAllocs()
			for b.Loop() {
				p := newParser(ikigai.Request{Tools: kit})
				for rest := reply; rest != ""; {
					n := min(20, len(rest))
					p.feed(rest[:n])
					rest = rest[n:]
				}
				if isCall := len(p.calls) == 1; isCall != (name == "call") {
					b.Fatal(len(p.calls))
				}
				p.end()
			}
		})
	}
}
