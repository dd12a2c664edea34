package providertest

import (
	"bytes"
	"slices"
	"testing"

	"ikigai"
)

// CheckFeedback holds that feedback stands behind all that a vendor may have
// kept of a request: where it comes after the results have been sent, it changes
// nothing up to the last of them, and the request with it is the one that would
// have been sent without the other.
func CheckFeedback(t *testing.T, model ikigai.Model, req ikigai.Request) {
	t.Helper()
	told := slices.IndexFunc(req.Messages, func(m ikigai.Message) bool { return m.Result != nil && m.Result.Feedback != "" })
	if told < 0 {
		t.Fatal("no result of the conversation has feedback")
	}
	var sent ikigai.Sent
	req.Memo, req.Sending = new(ikigai.Memo), func(s ikigai.Sent) { sent = s }
	send := func(messages []ikigai.Message) []byte {
		req.Messages = messages
		Collect(t, model, req)
		return bytes.Join(sent.Conversation, nil)
	}
	whole := req.Messages[:told+1]
	result := *whole[told].Result
	result.Feedback = ""
	early := slices.Clone(whole)
	early[told].Result = &result

	before := send(early)
	after, kept := send(whole), sent.Kept
	if n := commonLength(before, after); kept != int64(n) {
		t.Errorf("%d bytes are kept, and %d are the same:\n%s\n%s", kept, n, before, after)
	}
	if kept <= int64(bytes.LastIndex(before, []byte(result.CallID))) {
		t.Errorf("feedback changes what stands before the last result:\n%s\n%s", before, after)
	}
	req.Memo = new(ikigai.Memo)
	if alone := send(whole); !bytes.Equal(alone, after) {
		t.Errorf("another request without the one before:\n%s\n%s", alone, after)
	}
}

// commonLength returns the length of the longest common prefix of a and b.
func commonLength(a, b []byte) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}
