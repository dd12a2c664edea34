package provider

import (
	"crypto/sha256"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"ikigai"
)

// terse is a wire on which a message without words is nothing.
type terse struct{ system bool }

func (terse) Path(ikigai.Request) string { return "" }

func (w terse) Head(req ikigai.Request) (pieces [][]byte, done int) {
	pieces = [][]byte{[]byte(`{"a":[1,2],"list":[`)}
	if w.system {
		pieces = append(pieces, []byte(`"system",`))
	}
	return pieces, 0
}

func (terse) Append(b []byte, messages []ikigai.Message, _ bool) []byte {
	for _, m := range messages {
		if m.Content != "" {
			b = append(b, `"`+m.Content+`",`...)
		}
	}
	return b
}

func (terse) Decode(*Reply, func(ikigai.Delta) bool) error { return nil }

// A body is valid JSON whatever an Append writes, and what is told of it is true.
func TestNothingWritten(t *testing.T) {
	for name, test := range map[string]struct {
		wire     terse
		contents []string // of one message after the other, each of which is sent
		want     []string
	}{
		"all":        {terse{}, []string{"", ""}, []string{``, ``}},
		"the last":   {terse{}, []string{"a", "", "b", "", ""}, []string{`"a"`, `"a"`, `"a","b"`, `"a","b"`, `"a","b"`}},
		"the system": {terse{system: true}, []string{"", "a", ""}, []string{`"system"`, `"system","a"`, `"system","a"`}},
	} {
		req := ikigai.Request{Memo: new(ikigai.Memo)}
		before := ""
		for i, content := range test.contents {
			req.Messages = append(req.Messages, ikigai.Message{Kind: ikigai.KindUser, Content: content})
			for range 2 { // as when it is sent again
				body, sent := Encode("v/m", test.wire, req)
				raw, _ := io.ReadAll(body.Reader())
				if want := `{"a":[1,2],"list":[` + test.want[i] + `]}`; string(raw) != want || !json.Valid(raw) {
					t.Errorf("%s: %s, want %s", name, raw, want)
				}
				conversation, _ := io.ReadAll(Body(sent.Conversation).Reader())
				if sent.SHA256 != sha256.Sum256(raw) || sent.Size != int64(len(raw)) {
					t.Errorf("%s: %s: told of %d bytes with another hash", name, raw, sent.Size)
				}
				if sent.Kept > int64(len(before)) || sent.Kept > int64(len(conversation)) || !strings.HasPrefix(before, string(conversation[:sent.Kept])) {
					t.Errorf("%s: %s keeps %d bytes of %s", name, conversation, sent.Kept, before)
				}
				before = string(conversation)
			}
		}
	}
}
