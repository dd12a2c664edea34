package agent

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"ikigai"
)

// S2.86, D4, S5.5: a result over the limit is cut with shown and total, stays a
// JSON object with its keys, and no character is split.
func TestLimitOutput(t *testing.T) {
	long := strings.Repeat("日本", 5000)
	output := encode(map[string]any{"count": 3, "output": long})
	cut := limitOutput(output, 2000, whole{})
	var got struct {
		Output string `json:"output"`
		Count  int    `json:"count"`
	}
	if err := json.Unmarshal([]byte(cut), &got); err != nil {
		t.Fatal(err)
	}
	if len(cut) > 2000 || got.Count != 3 || !utf8.ValidString(got.Output) {
		t.Errorf("%d bytes, %+v", len(cut), got)
	}
	if !strings.HasSuffix(got.Output, " of 30000 bytes]") || !strings.HasPrefix(long, got.Output[:300]) {
		t.Errorf("got …%q", got.Output[len(got.Output)-60:])
	}
	if limitOutput(output, len(output), whole{}) != output {
		t.Error("a result at the limit was cut")
	}
}

// Law 7: the limit holds whatever the output is made of.
func TestLimitResult(t *testing.T) {
	mega := strings.Repeat("x", 1<<20)
	many := map[string]string{}
	for _, key := range strings.Fields("a b c d e f g h") {
		many[key] = mega
	}
	for name, d := range map[string]ikigai.ToolResultData{
		"many strings":   {Output: encode(many)},
		"an array":       {Output: encode(map[string]any{"list": strings.Fields(strings.Repeat("word ", 300_000))})},
		"plain text":     {Output: mega + mega},
		"parts and note": {Output: "{}", Parts: []ikigai.Part{{Text: mega}, {Text: mega}}, Note: mega},
	} {
		limitResult(&d, 1<<20, whole{})
		total := len(d.Output) + len(d.Note)
		for _, p := range d.Parts {
			total += len(p.Text)
		}
		if total > 1<<20+4*minCut {
			t.Errorf("%s: %d bytes", name, total)
		}
		if name != "plain text" && !json.Valid([]byte(d.Output)) {
			t.Errorf("%s: no JSON", name)
		}
	}
}

// FuzzLimitOutput: any output stays valid UTF-8, a JSON object stays one, the
// limit holds from the least that is worth sending, and what is within it stays
// as it is.
func FuzzLimitOutput(f *testing.F) {
	f.Add(`{"output":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","n":1}`, 60)
	f.Add(`{}`, 1)
	f.Add(`plain text, no JSON, äöü`, 10)
	f.Add(`{"a":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15],"b":"x"}`, 30)
	f.Add(`{"output":"\u0000\"\\<>&"}`, 1)
	f.Fuzz(func(t *testing.T, output string, size int) {
		if !utf8.ValidString(output) || size > 1<<20 || size < 0 {
			return
		}
		cut := limitOutput(output, size, whole{})
		switch {
		case !utf8.ValidString(cut):
			t.Fatalf("invalid UTF-8: %q", cut)
		case len(output) <= size && cut != output:
			t.Fatalf("cut without need: %q", cut)
		case len(cut) > max(size, 2*minCut):
			t.Fatalf("%d bytes, limit %d: %q", len(cut), size, cut)
		}
		if _, ok := objectFields(output); !ok {
			return
		}
		if !json.Valid([]byte(cut)) {
			t.Fatalf("no JSON: %q", cut)
		}
		if with := addLimitReached(cut, 3); !json.Valid([]byte(with)) || !strings.Contains(with, `"limit_reached":true`) {
			t.Fatalf("no JSON: %q", with)
		}
	})
}

// S2.42: the content of a call is name(k="v", …) in the order of the schema.
func TestDescribeCall(t *testing.T) {
	schema := &ikigai.Tool{ToolSpec: ikigai.ToolSpec{Schema: json.RawMessage(
		`{"type":"object","properties":{"pattern":{"type":"string"},"path":{"type":"string"}}}`)}}
	tests := []struct{ args, want string }{
		{`{"pattern":"*.c","path":"src/"}`, `glob(pattern="*.c", path="src/")`},
		{`{"path":"src/","x":1,"pattern":"<*>"}`, `glob(pattern="<*>", path="src/", x=1)`},
		{`{}`, `glob()`},
		{``, `glob()`},
		{`{"pattern":`, `glob({"pattern":)`},
		{`{"pattern":"` + strings.Repeat("ä", 200) + `"}`, `glob(pattern="` + strings.Repeat("ä", 120) + `…")`},
	}
	for _, test := range tests {
		if got := describeCall(ikigai.ToolCall{Name: "glob", Arguments: test.args}, schema); got != test.want {
			t.Errorf("%s: got %s, want %s", test.args, got, test.want)
		}
	}
}
