package dbschema

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ikigai"
)

func TestSearchText(t *testing.T) {
	for name, test := range map[string]struct {
		event ikigai.Event
		want  Indexed
	}{
		"statement":                 {ikigai.NewEvent(ikigai.KindUser, "What is Here?", nil), Indexed{Text: "what is here"}},
		"a kind of a later version": {ikigai.NewEvent("later", "said", nil), Indexed{Text: "said"}},
		"system":                    {ikigai.NewEvent(ikigai.KindSystem, "You are", nil), Indexed{}},
		"request":                   {ikigai.NewEvent(ikigai.KindRequest, "x", nil), Indexed{}},
		"interrupted": {ikigai.NewEvent(ikigai.KindInterrupted, "half an", ikigai.InterruptedData{Thinking: "A plan"}),
			Indexed{Text: "half an a plan"}},
		"change": {ikigai.NewEvent(ikigai.KindChange, "/src/a.go", ikigai.ChangeData{Path: "/src/a.go"}),
			Indexed{File: "/src/a.go"}},
		"changes": {ikigai.NewEvent(ikigai.KindChange, "changed 2 files", ikigai.ChangeData{Noticed: true, Unrecorded: "too many", Files: 2}), Indexed{}},
		"call": {ikigai.NewEvent(ikigai.KindToolCall, `file_write(path="a/B.go", …)`, ikigai.ToolCallData{
			Function: ikigai.ToolCallFunction{Name: "file_write", Arguments: `{"path":"a/B.go","content":"new\nline \u00e9","n":12}`},
		}), Indexed{Text: "file write path a b go content new line e n 12", Tool: "file_write", File: "a/B.go"}},
		"call of several": {ikigai.NewEvent(ikigai.KindToolCall, "f()", ikigai.ToolCallData{
			Function: ikigai.ToolCallFunction{Name: "f", Arguments: `{"files":["a","b\nc"],"in":[{"path":"d"},["e"]],"url":{"x":"f"}}`},
		}), Indexed{Text: "f files a b c in path d e url x f", Tool: "f", File: "a\nb c\nd"}},
		"call cut off": {ikigai.NewEvent(ikigai.KindToolCall, "bash(…)", ikigai.ToolCallData{
			Function: ikigai.ToolCallFunction{Name: "bash", Arguments: `{"command":"ls -l`},
		}), Indexed{Text: "bash bash command ls l", Tool: "bash"}},
		"result": {ikigai.NewEvent(ikigai.KindToolResult, "exit code 1", ikigai.ToolResultData{
			Name: "bash", Output: `{"output":"no\tsuch\nfile","exit_code":1}`, Note: "careful", Report: "exit code 1",
			Resources: []ikigai.Resource{{URI: "/src/a.go"}, {URI: "/src/a.go", Changed: true}},
			Executed:  json.RawMessage(`{"path":"b.go"}`),
		}), Indexed{Text: "exit code 1 no such file 1 careful", Tool: "bash", File: "b.go\n/src/a.go"}},
		"plain result": {ikigai.NewEvent(ikigai.KindToolResult, "done", ikigai.ToolResultData{
			Name: "t", Output: "{plain} text", Report: "told", Parts: []ikigai.Part{{Type: ikigai.PartText, Text: "a part"}},
		}), Indexed{Text: "done plain text a part told", Tool: "t"}},
		"damaged data":                  {ikigai.Event{Kind: ikigai.KindToolCall, Content: "f()", Data: json.RawMessage(`[1]`)}, Indexed{Text: "f"}},
		"goal":                          {ikigai.NewEvent(ikigai.KindGoal, "A Parser", nil), Indexed{Text: "a parser"}},
		"feedback":                      {ikigai.NewEvent(ikigai.KindFeedback, "Turn 1/50", nil), Indexed{}},
		"what an objective was made of": {ikigai.Event{Kind: ikigai.KindUser, Interaction: "objective-3", Content: "fix it"}, Indexed{}},
		"what a summary says":           {ikigai.Event{Kind: ikigai.KindAssistant, Interaction: "summary-3", Content: "it is fixed"}, Indexed{}},
		"a commit message":              {ikigai.Event{Kind: ikigai.KindAssistant, Interaction: "commit-3", Content: "mend it"}, Indexed{Text: "mend it"}},
		"a diff":                        {ikigai.Event{Kind: ikigai.KindUser, Interaction: "commit-3", Content: "+mend"}, Indexed{}},
		"a task":                        {ikigai.Event{Kind: ikigai.KindUser, Interaction: "task-3", Content: "Look there"}, Indexed{Text: "look there"}},
		"what a task is called":         {ikigai.Event{Kind: ikigai.KindInteraction, Interaction: "task-3", Content: "Look"}, Indexed{Text: "look"}},
	} {
		if diff := cmp.Diff(test.want, SearchText(test.event)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestSearchTextIsBounded(t *testing.T) {
	long := ikigai.NewEvent(ikigai.KindUser, strings.Repeat("é", maxText), nil)
	if n := len(SearchText(long).Text); n > maxText {
		t.Errorf("%d bytes", n)
	}
}

func TestFits(t *testing.T) {
	i := Indexed{Tool: "file_read", File: "/src/main.go\n./sub/x.go\nhttp://host/page"}
	for _, test := range []struct {
		tool, file string
		want       bool
	}{
		{"", "", true},
		{"file_read", "", true},
		{"file", "", false},
		{"File_read", "", false},
		{"", "/src/main.go", true},
		{"", "main.go", true},
		{"", "./main.go", true},
		{"", "src/main.go", true},
		{"", "sub/x.go", true},
		{"", "./sub/x.go", true},
		{"", "ain.go", false},
		{"", "main", false},
		{"", "Main.go", false},
		{"", "http://host/page", true},
		{"bash", "main.go", false},
	} {
		if got := i.Fits(ikigai.SearchQuery{Tool: test.tool, File: test.file}); got != test.want {
			t.Errorf("tool %q, file %q: %v", test.tool, test.file, got)
		}
	}
}

func TestTitleFits(t *testing.T) {
	if !TitleFits("Ändere ΣΑΣ", "ändere σας") || !TitleFits("x", "") || TitleFits("abc", "abd") {
		t.Error("cases of letters")
	}
}

// FuzzSearchText: whatever is stored has clean, folded, bounded text, and files
// that are the lines they are said to be.
func FuzzSearchText(f *testing.F) {
	f.Add("tool_call", "f()", `{"function":{"name":"f","arguments":"{\"path\":\"a\\n\"}"}}`)
	f.Add("tool_result", "done", `{"name":"f","output":"{\"a\":[1,{\"b\":\"c\"}]}","resources":[{"uri":"a\nb"}]}`)
	f.Add("user", "said", ``)
	f.Add("change", "p", `{"path":""}`)
	f.Fuzz(func(t *testing.T, kind, content, data string) {
		i := SearchText(ikigai.Event{Kind: ikigai.Kind(kind), Content: content, Data: json.RawMessage(data)})
		if Fold(i.Text) != i.Text {
			t.Errorf("text %q is not folded", i.Text)
		}
		for path := range strings.SplitSeq(i.File, "\n") {
			if path != "" && !i.Fits(ikigai.SearchQuery{File: path}) {
				t.Errorf("file %q is not found in %q", path, i.File)
			}
		}
	})
}

// FuzzReadValue: JSON is read whole, whatever is in it, and nothing else is.
func FuzzReadValue(f *testing.F) {
	for _, s := range []string{`{"a":{"b":[1,"x",null,true]},"path":["p"]}`, `[]`, `{`, `[[[`, `{"a":1}x`, `"s"`, ``} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, whole := readValue(s)
		text := strings.TrimSpace(s)
		if json.Valid([]byte(s)) && (strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[")) != whole {
			t.Errorf("%q: whole is %v", s, whole)
		}
		if len(v.values) > len(v.all) || len(v.files) > len(v.values) {
			t.Errorf("%q: %+v", s, v)
		}
	})
}
