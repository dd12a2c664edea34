package agent

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"ikigai"
)

func TestFormat(t *testing.T) {
	check := func(answer string) error {
		if !strings.Contains(answer, `"ok"`) {
			return errors.New("ok is missing.")
		}
		return nil
	}
	tests := []struct {
		name    string
		replies []string
		answer  string
		told    string // what is wrong, as the model is told
		failed  bool
	}{
		{"good", []string{` {"ok":1}` + "\n"}, `{"ok":1}`, "", false},
		{"in a fence", []string{"```json\n{\"ok\":1}\n```"}, `{"ok":1}`, "", false},
		{"in a fence without a name", []string{"```\n{\"ok\":1}```\n"}, `{"ok":1}`, "", false},
		{"no JSON, then good", []string{"Here it is: {}", `{"ok":1}`}, `{"ok":1}`, "it is not valid JSON.", false},
		{"bad, then good in a fence", []string{`{}`, "```json\n{\"ok\":1}\n```"}, `{"ok":1}`, "ok is missing.", false},
		{"bad twice", []string{`{}`, "```json\n{}\n```"}, "", "ok is missing.", true},
		{"an open fence", []string{"```json\n{\"ok\":1}", "```"}, "", "it is not valid JSON.", true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var replies [][]any
			for _, r := range test.replies {
				replies = append(replies, says(r))
			}
			a, l, m := newAgent(t, replies, tool("echo", false, echo))
			a.Format = &ikigai.Format{Name: "answer", Schema: json.RawMessage(`{ "type": "object" }`)}
			a.CheckAnswer = check
			out, err := run(t, a)
			if (err != nil) != test.failed || err == nil && out.Answer != test.answer {
				t.Fatalf("%q, %v", out.Answer, err)
			}
			if err != nil && (ikigai.KindOf(err) != ikigai.ErrorIncomplete || !strings.Contains(err.Error(), strings.TrimRight(test.told, "."))) {
				t.Errorf("error %v", err)
			}
			for i, r := range m.requests {
				if r.Format != a.Format || (r.ToolChoice.Mode == ikigai.ToolChoiceNone) != (i == 1) {
					t.Errorf("request %d: %+v", i, r)
				}
			}
			if test.told == "" {
				return
			}
			told := l.events[3]
			want := "Your answer does not have the form that was asked for: " + test.told +
				"\n\nAnswer with JSON alone, without any other text, that fits this JSON Schema:\n{\"type\":\"object\"}"
			if told.Kind != ikigai.KindUser || told.Content != want {
				t.Errorf("told %q", told.Content)
			}
		})
	}
}

// A model that cannot be held to a form is told of it, and so is one that may
// be asked in place of another.
func TestFormatInWords(t *testing.T) {
	for _, test := range []struct{ first, second bool }{{false, false}, {true, false}, {false, true}} {
		a, l, m := newAgent(t, [][]any{says(`{}`)})
		a.Format = &ikigai.Format{Name: "answer", Schema: json.RawMessage(`{}`)}
		a.NoFormat, a.Fallbacks = test.first, []Candidate{{Name: "b", NoFormat: test.second}}
		if _, err := run(t, a); err != nil {
			t.Fatal(err)
		}
		if inWords := strings.Contains(l.events[0].Content, "JSON Schema"); inWords != (test.first || test.second) {
			t.Errorf("%+v: in words: %v", test, inWords)
		}
		if held := m.requests[0].Format != nil; held == test.first {
			t.Errorf("%+v: held to it: %v", test, held)
		}
	}
}

// Calls come before the answer, and only the answer is held to the form.
func TestFormatAfterCalls(t *testing.T) {
	reply := slices.Concat([]any{ikigai.Delta{Text: "I look."}}, calls("1 echo {}"))
	a, l, _ := newAgent(t, [][]any{reply, says(`{}`)}, tool("echo", false, echo))
	a.Format = &ikigai.Format{Name: "answer", Schema: json.RawMessage(`{}`)}
	if out, err := run(t, a); err != nil || out.Answer != "{}" || strings.Count(l.kinds(), "user") != 1 {
		t.Errorf("%+v, %v, %s", out, err, l.kinds())
	}
}
