package openai

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"ikigai"
)

// written is the stream of a file_write of 1 MB in pieces of 20 bytes.
func written() []byte {
	var b bytes.Buffer
	chunk := func(delta, finish string) {
		fmt.Fprintf(&b, `data: {"id":"chatcmpl-9","object":"chat.completion.chunk","created":1767213424,"model":"gpt-x","service_tier":"default","system_fingerprint":"fp_1","choices":[{"index":0,"delta":%s,"logprobs":null,"finish_reason":%s}]}`+"\n\n", delta, finish)
	}
	chunk(`{"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"file_write","arguments":""}}]}`, "null")
	for i := range 52000 {
		piece, _ := json.Marshal(fmt.Sprintf("line %05d of text\\n", i)[:20])
		chunk(`{"tool_calls":[{"index":0,"function":{"arguments":`+string(piece)+`}}]}`, "null")
	}
	chunk(`{}`, `"tool_calls"`)
	b.WriteString("data: [DONE]\n\n")
	return b.Bytes()
}

// BenchmarkBare is the floor: scan lines, json.Unmarshal each chunk, join.
func BenchmarkBare(b *testing.B) {
	stream := written()
	b.ReportAllocs()
	for b.Loop() {
		lines := bufio.NewScanner(bytes.NewReader(stream))
		var args strings.Builder
		for lines.Scan() {
			data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data: "))
			if !ok || string(data) == "[DONE]" {
				continue
			}
			var c struct {
				Choices []struct {
					Delta struct {
						Content string
						Calls   []struct {
							Function struct{ Arguments string }
						} `json:"tool_calls"`
					}
				}
			}
			if err := json.Unmarshal(data, &c); err != nil {
				b.Fatal(err)
			}
			for _, call := range c.Choices[0].Delta.Calls {
				args.WriteString(call.Function.Arguments)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/52000, "ns/delta")
}

func BenchmarkDecode(b *testing.B) {
	for _, plain := range []bool{false, true} {
		b.Run(fmt.Sprintf("plain=%v", plain), func(b *testing.B) {
			stream := written()
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
				if err := d.read(bytes.NewReader(stream)); err != nil || d.end() != nil || args.Len() != 52000*20 {
					b.Fatal(err, args.Len())
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/52000, "ns/delta")
		})
	}
}

// BenchmarkTurn encodes and hashes the nth turn of a conversation, each of 1 KB.
func BenchmarkTurn(b *testing.B) {
	for _, n := range []int{10, 1000, 5000} {
		all := turns(2 * n)
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			memo, at := new(ikigai.Memo), len(all)
			b.ReportAllocs()
			for b.Loop() {
				if at++; at > 2*n {
					b.StopTimer()
					memo, at = new(ikigai.Memo), n+1
					encode(ikigai.Request{Messages: all[:3*n], Memo: memo})
					b.StartTimer()
				}
				encode(ikigai.Request{Messages: all[:3*at], Memo: memo})
			}
		})
		b.Run(fmt.Sprintf("scratch=%d", n), func(b *testing.B) {
			for b.Loop() {
				encode(ikigai.Request{Messages: all[:3*(n+1)]})
			}
		})
	}
}

func turns(n int) []ikigai.Message {
	var all []ikigai.Message
	for i := range n {
		id := fmt.Sprintf("call_%d", i)
		all = append(all,
			ikigai.Message{Kind: ikigai.KindAssistant, Content: "Looking."},
			ikigai.Message{Kind: ikigai.KindToolCall, Call: &ikigai.ToolCall{ID: id, Name: "bash", Arguments: `{"command":"true"}`}},
			ikigai.Message{Kind: ikigai.KindToolResult, Result: &ikigai.ToolResult{CallID: id, Name: "bash", Output: strings.Repeat("x", 850)}})
	}
	return all
}
