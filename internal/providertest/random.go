package providertest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	"ikigai"
)

// RandomRequest returns a request with a valid conversation of every shape:
// texts with and without images, rounds of one or several calls with and
// without text before them, what the person adds between them, notes, feedback,
// tools and choices of tools.
func RandomRequest(r *rand.Rand) ikigai.Request {
	var req ikigai.Request
	if r.IntN(4) > 0 {
		req.Messages = append(req.Messages, ikigai.Message{Kind: ikigai.KindSystem, Content: randomText(r)})
	}
	for range 1 + r.IntN(4) {
		req.Messages = append(req.Messages, ikigai.Message{Kind: ikigai.KindUser, Content: randomText(r), Parts: randomParts(r)})
		for range r.IntN(3) {
			req.Messages = append(req.Messages, randomRound(r, len(req.Messages))...)
			for range r.IntN(6) - 3 { // steering
				req.Messages = append(req.Messages, ikigai.Message{Kind: ikigai.KindUser, Content: randomText(r), Parts: randomParts(r)})
			}
		}
		if r.IntN(4) > 0 {
			req.Messages = append(req.Messages, ikigai.Message{Kind: ikigai.KindAssistant, Content: randomText(r)})
		}
	}
	for i := range r.IntN(3) {
		req.Tools = append(req.Tools, ikigai.ToolSpec{
			Name: fmt.Sprintf("tool_%d", i), Description: randomText(r),
			Schema: json.RawMessage(`{"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}`),
		})
	}
	if len(req.Tools) > 0 {
		req.ToolChoice = ikigai.ParseToolChoice([]string{"auto", "none", "required", req.Tools[0].Name}[r.IntN(4)])
	}
	if r.IntN(3) == 0 {
		req.MaxOutput = 1 + r.IntN(5000)
	}
	return req
}

func randomRound(r *rand.Rand, n int) []ikigai.Message {
	var calls, results []ikigai.Message
	if r.IntN(2) == 0 {
		calls = append(calls, ikigai.Message{Kind: ikigai.KindAssistant, Content: randomText(r)})
	}
	for i := range 1 + r.IntN(3) {
		call := &ikigai.ToolCall{ID: fmt.Sprintf("call_%d_%d", n, i), Name: fmt.Sprintf("tool_%d", r.IntN(3)), Arguments: `{"path":"a"}`}
		switch r.IntN(4) {
		case 0:
			call.Arguments = ""
		case 1:
			call.Arguments = randomText(r)
		}
		result := &ikigai.ToolResult{CallID: call.ID, Name: call.Name, Output: randomText(r), Success: r.IntN(2) == 0, Parts: randomParts(r)}
		if r.IntN(3) == 0 {
			result.Note = randomText(r)
		}
		calls = append(calls, ikigai.Message{Kind: ikigai.KindToolCall, Content: "for people", Call: call})
		results = append(results, ikigai.Message{Kind: ikigai.KindToolResult, Content: "for people", Result: result})
	}
	if r.IntN(2) == 0 {
		results[len(results)-1].Result.Feedback = randomText(r)
	}
	return append(calls, results...)
}

func randomParts(r *rand.Rand) []ikigai.Part {
	if r.IntN(3) > 0 {
		return nil
	}
	all := []ikigai.Part{
		{Type: ikigai.PartText, Text: randomText(r)},
		{Type: ikigai.PartImage, Media: "image/png", Bytes: []byte("\x89PNG")},
		{Type: ikigai.PartImage, Media: "image/png"},
		{Type: ikigai.PartFile, Media: "application/pdf", Name: "a.pdf", Bytes: []byte("%PDF")},
	}
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:1+r.IntN(len(all))]
}

// randomText returns text that is not empty.
func randomText(r *rand.Rand) string {
	words := []string{"plain", "<b>&amp;", "line\nfeed", `quo"ted\`, "ü", "日本", "😀", "\t", "\u2028", "\x01", "null", "{}"}
	var b strings.Builder
	for range 1 + r.IntN(6) {
		b.WriteString(words[r.IntN(len(words))])
		b.WriteByte(' ')
	}
	return b.String()
}
