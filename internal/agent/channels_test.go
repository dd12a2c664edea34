package agent

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ikigai"
)

// What a tool returns reaches the model as it is: a text of whatever language, in
// the log and in the request alike, and further parts behind it as parts of
// their own.
//
// S3.10, S3.11, S3.14, D10
func TestTextsPassUnchanged(t *testing.T) {
	image := ikigai.Part{Type: ikigai.PartImage, Media: "image/png", Blob: strings.Repeat("ab", 32)}
	for _, text := range []string{
		"plain", `{ "b" : 1,  "a": [1, 2.50] }`, "{\"a\":\n1}", "<?xml version=\"1.0\"?>\n<a b='c'>&amp;</a>", "[1,2]", "null", "\t indented\n\n", "é 日本 \u2028",
	} {
		for _, further := range [][]ikigai.Part{nil, {image}, {{Type: ikigai.PartText, Text: text}, image}} {
			answers := func(context.Context, ikigai.Call) ikigai.Result {
				return ikigai.Result{Output: append([]ikigai.Part{{Type: ikigai.PartText, Text: text}}, further...), Report: "for the person"}
			}
			a, l, m := newAgent(t, [][]any{calls("1 answers {}"), says("done")}, tool("answers", true, answers))
			if _, err := run(t, a); err != nil {
				t.Fatal(err)
			}
			messages := m.requests[1].Messages
			sent := messages[len(messages)-1].Result
			if sent.Output != text || l.results()[0].Output != text {
				t.Errorf("%q is sent as %q and kept as %q", text, sent.Output, l.results()[0].Output)
			}
			if diff := cmp.Diff(further, sent.Parts); diff != "" {
				t.Errorf("%q (-want +got):\n%s", text, diff)
			}
		}
	}
}
