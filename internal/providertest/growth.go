package providertest

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ikigai"
)

// CheckGrowth holds that a request with a memo has the same bytes as one
// without, whatever was sent before, that it is valid JSON, and that what is
// told of it is true. The conversation, and how it grows, depend on a and b.
func CheckGrowth(t *testing.T, a, b uint64, encode func(ikigai.Request) ([]byte, ikigai.Sent)) {
	r := rand.New(rand.NewPCG(a, b))
	req := RandomRequest(r)
	all := req.Messages
	memo := new(ikigai.Memo)
	var before []byte // the conversation
	for n := 0; n < len(all); {
		n += 1 + r.IntN(len(all)-n)
		req.Messages = append([]ikigai.Message(nil), all[:n]...)
		if last := &req.Messages[n-1]; n < len(all) && r.IntN(2) == 0 {
			*last = all[r.IntN(len(all))] // the last message may still change
		}
		if r.IntN(4) == 0 && len(req.Tools) > 0 {
			req.ToolChoice.Mode = ikigai.ToolChoiceNone // the last turn of a statement
		}
		req.Memo = nil
		want, told := encode(req)
		req.Memo = memo
		got, sent := encode(req)
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Fatalf("(-without memo +with):\n%s", diff)
		}
		if !json.Valid(got) {
			t.Fatalf("body %s", got)
		}
		if err := errors.Join(CheckSent(told, want, nil), CheckSent(sent, got, before)); err != nil {
			t.Fatal(err)
		}
		before = bytes.Join(sent.Conversation, nil)
	}
}
