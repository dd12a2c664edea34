package history

import (
	"encoding/json"
	"strings"
	"sync"

	"ikigai"
)

// round is the calls of one reply and their results so far.
type round struct {
	calls    []ikigai.Message
	of       []ikigai.Seq      // of the calls' events
	received []string          // the calls' IDs as the log has them
	results  []*ikigai.Message // by call; nil while there is none
	resultOf []ikigai.Seq      // of the results' events
	answered int
	// edited tells that the reply is not what its model wrote. What a vendor
	// wants back with it may not go with it any more.
	edited bool
}

func (r *round) open() bool     { return len(r.calls) > 0 }
func (r *round) complete() bool { return r.open() && r.answered == len(r.calls) }

// call adds a call, to be known to the model as id.
func (r *round) call(m ikigai.Message, seq ikigai.Seq, id string) {
	received := m.Call
	m.Call = &ikigai.ToolCall{ID: id, Name: toolName(received.Name), Arguments: arguments(received.Arguments)}
	if m.Call.Name != received.Name || m.Call.Arguments != received.Arguments && strings.TrimSpace(received.Arguments) != "" {
		r.edited = true
	}
	r.calls, r.of, r.received = append(r.calls, m), append(r.of, seq), append(r.received, received.ID)
	r.results, r.resultOf = append(r.results, nil), append(r.resultOf, 0)
}

// result gives m to the first unanswered call of its ID. A result that answers
// no call of this round is left out.
func (r *round) result(m ikigai.Message, seq ikigai.Seq) {
	for i, id := range r.received {
		if id == m.Result.CallID && r.results[i] == nil {
			r.results[i], r.resultOf[i] = &m, seq
			r.answered++
			return
		}
	}
}

// settle appends the calls of the round and a result for each, and the events
// that they are.
func (r *round) settle(messages []ikigai.Message, origins []ikigai.Seq) ([]ikigai.Message, []ikigai.Seq) {
	for _, call := range r.calls {
		if r.edited {
			call.Vendor = nil
		}
		messages = append(messages, call)
	}
	for i, call := range r.calls {
		var result ikigai.ToolResult
		if m := r.results[i]; m != nil {
			result = *m.Result
			result.Output = ikigai.CleanText(result.Output)
			result.Note = ikigai.CleanText(result.Note)
		} else {
			result = unknownResult()
		}
		result.CallID, result.Name = call.Call.ID, call.Call.Name
		m := ikigai.Message{Kind: ikigai.KindToolResult, Result: &result}
		if r.results[i] != nil {
			m.Content = r.results[i].Content
		}
		messages = append(messages, m)
	}
	return messages, append(append(origins, r.of...), r.resultOf...)
}

// unknownResult answers a call whose result was never recorded.
var unknownResult = sync.OnceValue(func() ikigai.ToolResult {
	failure := ikigai.Failure(ikigai.CodeCancelled,
		"The result of this call was lost in an interruption: the tool may have run, in whole or in part",
		"Check its effects before you call it again")
	return ikigai.ToolResult{Output: failure.Output[0].Text}
})

// arguments returns the arguments of a call as every vendor and local server
// takes them: the text of a JSON object. Text that is none is kept inside one,
// so that the model sees what it wrote.
func arguments(s string) string {
	s = ikigai.CleanText(s)
	trimmed := strings.TrimSpace(s)
	switch {
	case trimmed == "":
		return "{}"
	case trimmed[0] == '{' && json.Valid([]byte(s)):
		return ikigai.CleanJSON(s)
	}
	wrapped, _ := json.Marshal(map[string]string{"invalid_json": s})
	return string(wrapped)
}
