package storetest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ikigai"
)

// scripted is a session that has everything that the views show: two
// statements and what came before, a turn that did not end, a call without a
// result, calls with one ID, a side interaction, usage with and without a
// price, and what others than the person said in its place.
func scripted(b *bench) ikigai.Grant {
	g, _ := b.acquire("scripted")
	var events []ikigai.Event
	add := func(kind ikigai.Kind, content string, data any) *ikigai.Event {
		e := Event(g.Session, ikigai.Seq(len(events)+1), kind, content, data)
		e.Time = 1_000_000 * ikigai.Micros(e.Seq)
		events = append(events, e)
		return &events[len(events)-1]
	}
	side := func(e *ikigai.Event) { e.Interaction = "title" }
	call := func(id, name, arguments string) {
		add(ikigai.KindToolCall, name+"(…)", ikigai.ToolCallData{ID: id, Type: "function",
			Function: ikigai.ToolCallFunction{Name: name, Arguments: arguments}})
	}
	usage := func(cost *int64, stop ikigai.StopReason, in, out int64) *ikigai.Event {
		return add(ikigai.KindUsage, "", ikigai.UsageData{Model: "vendor/model", Cost: cost, Stop: stop, FirstMillis: 5, TotalMillis: 70,
			Usage: ikigai.Usage{Input: in, Output: out, CacheRead: in / 2, Reasoning: 1}})
	}
	price := func(micros int64) *int64 { return &micros }

	add(ikigai.KindSession, "/src", ikigai.SessionData{Dir: "/src", Model: "vendor/model", Version: "1"})
	add(ikigai.KindSystem, "You help.", nil)
	side(add(ikigai.KindRequest, "", ikigai.RequestData{Model: "vendor/small", Size: 10})) // before the first statement
	add(ikigai.KindUser, "it's \"done\"\nwhen?", nil)
	add(ikigai.KindRequest, "", ikigai.RequestData{Model: "vendor/model", Size: 1000, SHA256: "ab"})
	add(ikigai.KindAssistant, "I look.", nil)
	call("call_1", "file_read", `{"path": "a.go"}`)
	call("call_2", "bash", `{"command":"ls"`)
	usage(price(1500), ikigai.StopToolCalls, 100, 20)
	side(add(ikigai.KindRequest, "", ikigai.RequestData{Model: "vendor/small", Size: 20}))
	add(ikigai.KindToolResult, "2 lines", ikigai.ToolResultData{ToolCallID: "call_1", Name: "file_read", Output: `{"output":"a\nb"}`,
		Success: true, Note: "short", Millis: 12, Resources: []ikigai.Resource{{URI: "/src/a.go"}, {URI: "/src/é.go", Changed: true}}})
	side(usage(price(10), ikigai.StopEnd, 7, 3))
	side(add("title", "A title", nil))
	add(ikigai.KindToolResult, "no", ikigai.ToolResultData{ToolCallID: "call_2", Name: "bash", Output: "plain"})
	add(ikigai.KindRequest, "", ikigai.RequestData{Model: "vendor/model", Previous: 5, Kept: 999, Size: 1200, SHA256: "cd"})
	add(ikigai.KindAssistant, "Done.", nil)
	usage(nil, ikigai.StopEnd, 9007199254740993, 2)
	add("goal", "to see", nil)
	add(ikigai.KindUser, "more", nil)
	add("objective", "more of it", nil)
	add(ikigai.KindRequest, "", ikigai.RequestData{Model: "vendor/other", Size: 1300})
	call("call_1", "bash", `{}`)
	call("call_1", "bash", `{}`)
	add(ikigai.KindToolResult, "0", ikigai.ToolResultData{ToolCallID: "call_1", Name: "bash", Output: "", Success: true})
	for _, by := range []string{ikigai.BySteer, ikigai.ByShell, ikigai.ByLoop} {
		add(ikigai.KindUser, "no statement", ikigai.MessageData{By: by})
	}
	add(ikigai.KindRequest, "", ikigai.RequestData{Model: "vendor/other", Size: 1400, Kept: 1299})
	b.append(g, 0, events...)
	return g
}

// golden is what the views show of scripted, without the first column.
var golden = map[string]string{
	"v_statements": `
		1|4|4000000|/src|A title|it's "done"\nwhen?|Done.|3|2|9007199254741100|25|0.00151
		2|19|19000000|/src|A title|more|NULL|2|2|0|0|NULL`,
	"v_turns": `
		0|1|3|title|3000000|vendor/small|10|0|0|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL
		1|1|5|main|5000000|vendor/model|1000|0|2|100|20|50|0|1|0.0015|tool_calls|5|70
		1|2|10|title|10000000|vendor/small|20|0|0|7|3|3|0|1|1e-05|end|5|70
		1|3|15|main|15000000|vendor/model|1200|999|0|9007199254740993|2|4503599627370496|0|1|NULL|end|5|70
		2|1|21|main|21000000|vendor/other|1300|0|2|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL
		2|2|28|main|28000000|vendor/other|1400|1299|0|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL`,
	"v_tool_calls": `
		1|7|main|7000000|call_1|file_read|{"path": "a.go"}|file_read(…)|11|1|{"output":"a\nb"}|short|12
		1|8|main|8000000|call_2|bash|{"command":"ls"|bash(…)|14|0|plain|NULL|0
		2|22|main|22000000|call_1|bash|{}|bash(…)|NULL|NULL|NULL|NULL|NULL
		2|23|main|23000000|call_1|bash|{}|bash(…)|24|1||NULL|0`,
	"v_usage": `
		9|main|9000000|vendor/model|100|20|50|0|1|0.0015|tool_calls
		12|title|12000000|vendor/model|7|3|3|0|1|1e-05|end
		17|main|17000000|vendor/model|9007199254740993|2|4503599627370496|0|1|NULL|end`,
	"v_resources": `
		11|11000000|call_1|file_read|/src/a.go|0
		11|11000000|call_1|file_read|/src/é.go|1`,
	"v_objectives": `
		1|13|13000000|title|A title
		1|18|18000000|goal|to see
		2|20|20000000|objective|more of it`,
}

// columns are those of the views, as docs/schema.md has them.
var columns = map[string]string{
	"v_statements": "session, statement, seq, time, dir, title, content, answer, turns, tool_calls, input_tokens, output_tokens, cost_usd",
	"v_turns": "session, statement, turn, seq, interaction, time, model, request_bytes, kept_bytes, tool_calls, input_tokens, output_tokens, " +
		"cache_read_tokens, cache_write_tokens, reasoning_tokens, cost_usd, stop, first_ms, total_ms",
	"v_tool_calls": "session, statement, seq, interaction, time, tool_call_id, name, arguments, summary, result_seq, success, output, note, ms",
	"v_usage": "session, seq, interaction, time, model, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, " +
		"reasoning_tokens, cost_usd, stop",
	"v_resources":  "session, seq, time, tool_call_id, tool, uri, changed",
	"v_objectives": "session, statement, seq, time, kind, content",
}

// views holds the rows of every view against the same golden in every store.
func views(t *testing.T, b *bench) {
	scripted(b)
	for view, want := range golden {
		where := " where session = 'scripted' order by seq, 1"
		if view == "v_resources" {
			where = " where session = 'scripted' order by seq, uri"
		}
		rows := b.rows("select * from " + view + where)
		var lines []string
		for _, row := range rows {
			if got := strings.Join(row.Columns, ", "); got != columns[view] {
				t.Errorf("%s has the columns %s\nwant %s", view, got, columns[view])
			}
			if row.Values[0] != "scripted" {
				t.Errorf("%s: session %v", view, row.Values[0])
			}
			lines = append(lines, line(row.Values[1:]))
		}
		if diff := cmp.Diff(strings.Split(strings.ReplaceAll(strings.TrimSpace(want), "\t", ""), "\n"), lines); diff != "" {
			t.Errorf("%s (-want +got):\n%s", view, diff)
		}
	}
}

func line(values []any) string {
	var fields []string
	for _, v := range values {
		text := fmt.Sprint(v)
		if v == nil {
			text = "NULL"
		}
		fields = append(fields, strings.ReplaceAll(text, "\n", `\n`))
	}
	return strings.Join(fields, "|")
}

// One event that is odd must not fail a view for ever.
func viewsOfHostileText(t *testing.T, b *bench) {
	g, events := b.begin()
	add := func(kind ikigai.Kind, content string, data json.RawMessage) {
		e := Event(g.Session, ikigai.Seq(len(events)+1), kind, content, nil)
		e.Data = data
		events = append(events, e)
	}
	const depth = 3000
	odd := []string{
		`[null]`, `null`, `"text"`, `7`, `{}`, `[]`,
		`{"input":"many","output":[1],"cost":{},"stop":1,"model":null,"size":"x","kept":true,"success":"no","ms":1.5,"id":{"a":1}}`,
		`{"input":9007199254740993,"output":1e400,"cost":-1,"cost":2,"size":99999999999999999999,"total_ms":-0}`,
		`{"input":9223372036854775807,"output":9223372036854775807,"cost":9223372036854775807}`,
		`{"input":9223372036854775807,"output":9223372036854775807,"cost":9223372036854775807}`,
		`{"resources":null}`, `{"resources":{"uri":"x"}}`, `{"resources":[1,null,"x",[],{},{"uri":{},"changed":"x"}]}`, `{"resources":"x"}`,
		`{"function":"x","tool_call_id":1}`, `{"function":{"name":1,"arguments":{}}}`,
		strings.Repeat(`{"id":[`, depth) + strings.Repeat(`]}`, depth),
		`{"resources":` + strings.Repeat(`[`, depth) + strings.Repeat(`]`, depth) + `}`,
	}
	for _, text := range hostile {
		quoted, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		odd = append(odd, fmt.Sprintf(`{"model":%[1]s,"stop":%[1]s,"id":%[1]s,"tool_call_id":%[1]s,"output":%[1]s,"note":%[1]s,`+
			`"resources":[{"uri":%[1]s}],"function":{"name":%[1]s,"arguments":%[1]s}}`, quoted))
	}
	for _, kind := range []ikigai.Kind{
		ikigai.KindUser, ikigai.KindRequest, ikigai.KindUsage, ikigai.KindToolCall, ikigai.KindToolResult, ikigai.KindAssistant, "goal",
	} {
		add(kind, "", nil)
		for _, data := range odd {
			add(kind, "odd", json.RawMessage(data))
		}
	}
	for _, text := range hostile {
		add(ikigai.KindUser, text, nil)
		add(ikigai.KindAssistant, text, nil)
	}
	b.append(g, 1, events[1:]...)
	for view, names := range columns {
		if rows := b.rows("select * from " + view); len(rows) < len(hostile) && view != "v_objectives" || len(rows) == 0 {
			t.Errorf("%s: %d rows", view, len(rows))
		}
		for name := range strings.SplitSeq(names, ", ") {
			b.rows("select count(*), max(" + name + ") from " + view)
		}
	}
	for _, row := range b.rows("select content, answer from v_statements order by seq desc limit " + fmt.Sprint(len(hostile))) {
		if row.Values[0] != row.Values[1] {
			t.Errorf("%q came back as %q", row.Values[0], row.Values[1])
		}
	}
	calls := make(map[any]bool)
	for _, row := range b.rows("select arguments from v_tool_calls") {
		calls[row.Values[0]] = true
	}
	for name, text := range hostile {
		if !calls[text] {
			t.Errorf("%s: the arguments %q did not come back", name, text)
		}
	}
}
