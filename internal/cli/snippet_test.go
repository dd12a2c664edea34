package cli

import (
	"strings"
	"testing"
	"unicode/utf8"

	"ikigai"
	"ikigai/internal/dbschema"
)

func parsed(t *testing.T, words string) []dbschema.Term {
	t.Helper()
	terms, err := dbschema.ParseWords(words)
	must(t, err)
	return terms
}

// marked returns a snippet with what was found in brackets.
func marked(text string, found [][2]int) string {
	var b strings.Builder
	from := 0
	for _, place := range found {
		b.WriteString(text[from:place[0]] + "[" + text[place[0]:place[1]] + "]")
		from = place[1]
	}
	return b.String() + text[from:]
}

func TestSnippet(t *testing.T) {
	long := strings.Repeat("word ", 100)
	for _, test := range []struct{ words, text, want string }{
		{"panic", "why does the parser panic?", "why does the parser [panic]?"},
		{"PARSER why", "Why does\n\n\tthe parser panic?", "[Why] does the [parser] panic?"},
		{`"the parser"`, "the model of the parser", "the model of [the] [parser]"},
		{"pars*", "parser, parsing; sparse", "[parser], [parsing]; sparse"},
		{"accent", "an Áccént here", "an [Áccént] here"},
		{"file_read", "file_read(path)", "[file]_[read](path)"},
		{"needle", long + "needle " + long, "…" + strings.Repeat("word ", 12) + "[needle] " + strings.TrimSpace(strings.Repeat("word ", 27)) + "…"},
		{"検索", "これは検索です", "これは検索です"},
		{"missing", "nothing here", "nothing here"},
		{"x", "", ""},
	} {
		text, found := snippet([]string{test.text}, parsed(t, test.words))
		got := marked(text, found)
		if test.words == "検索" {
			got = strings.NewReplacer("[", "", "]", "").Replace(got) // a token of such a script is marked whole
		}
		if got != test.want {
			t.Errorf("%s in %q:\n got %q\nwant %q", test.words, test.text, got, test.want)
		}
	}
}

// What a hit says is found where it is: in what a tool was asked, in its
// answer, in a reply that was not finished.
func TestHitTexts(t *testing.T) {
	for _, e := range []ikigai.Event{
		ikigai.Message{Kind: ikigai.KindToolCall, Content: "bash", Call: &ikigai.ToolCall{Name: "bash", Arguments: `{"command":"a\nneedle"}`}}.Event(),
		ikigai.Message{Kind: ikigai.KindToolResult, Content: "1 line", Result: &ikigai.ToolResult{Output: `{"output":["a\u0020needle"]}`}}.Event(),
		ikigai.Message{Kind: ikigai.KindToolResult, Result: &ikigai.ToolResult{Output: "a needle"}}.Event(),
		ikigai.Message{Kind: ikigai.KindToolResult, Result: &ikigai.ToolResult{Output: `{`, Note: "a needle"}}.Event(),
		ikigai.NewEvent(ikigai.KindInterrupted, "", ikigai.InterruptedData{Thinking: "a needle"}),
		ikigai.NewEvent(ikigai.KindAssistant, "a needle", nil),
	} {
		text, found := snippet(hitTexts(e), parsed(t, "needle"))
		if got := marked(text, found); got != "a [needle]" {
			t.Errorf("%s %s: %q", e.Kind, e.Data, got)
		}
	}
}

// Whatever is looked for in whatever text: the places are in order, inside the
// snippet, between characters, and what they hold is made of words that were
// looked for. A snippet is one line and not long.
func FuzzSnippet(f *testing.F) {
	f.Add("panic", "why does the parser panic?")
	f.Add(`"a b" c*`, "a\nb c\x00d é ﬁ \xff 検索です e\u0301")
	f.Add("ﬁ", "ﬁnd ㎞ ①")
	f.Fuzz(func(t *testing.T, words, text string) {
		terms, err := dbschema.ParseWords(words)
		if err != nil {
			t.Skip()
		}
		text = ikigai.CleanText(text)
		got, found := snippet([]string{text}, terms)
		last := 0
		for _, place := range found {
			if place[0] < last || place[1] <= place[0] || place[1] > len(got) {
				t.Fatalf("places %v in %q", found, got)
			}
			last = place[1]
			if word := got[place[0]:place[1]]; !utf8.ValidString(word) {
				t.Fatalf("place %v cuts a character in %q", place, got)
			}
		}
		if strings.Contains(got, "\n") {
			t.Errorf("%q has several lines", got)
		}
		if len(found) == 0 && len(terms) == 0 && len(got) > len(text)+len("…") {
			t.Errorf("%q is longer than %q", got, text)
		}
	})
}

// Without words a hit shows what was answered, not the name of its field.
func TestHitTextsValuesFirst(t *testing.T) {
	result := ikigai.Message{Kind: ikigai.KindToolResult, Result: &ikigai.ToolResult{Output: `{"output" : "two files", "exit_code": 0}`}}.Event()
	if text, _ := snippet(hitTexts(result), nil); text != "two files" {
		t.Errorf("%q", text)
	}
	if text, _ := snippet(hitTexts(result), parsed(t, "exit_code")); text != "exit_code" {
		t.Errorf("%q", text)
	}
}
