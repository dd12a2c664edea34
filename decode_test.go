package ikigai

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What plain reads, encoding/json reads too, and as the same.
func FuzzPlain(f *testing.F) {
	for _, m := range []Message{
		{Kind: KindToolCall, Call: &ToolCall{ID: "call_1", Name: "bash", Arguments: `{"command":"echo \"a\\tb\""}`}},
		{Kind: KindToolCall, Call: &ToolCall{ID: "é", Name: "a/b", Arguments: "\b\f\n\r\t\u0001\u2028<>&"}},
		{Kind: KindToolResult, Result: &ToolResult{CallID: "call_1", Name: "bash", Output: `{"output":"x"}`, Success: true}},
		{Kind: KindToolResult, Result: &ToolResult{CallID: "call_1", Name: "bash", Output: "", Note: "a note"}},
	} {
		f.Add([]byte(m.Event().Data))
	}
	f.Add([]byte(`{"tool_call_id":"a","name":"b","output":"c","success":false,"report":"r","ms":007}`))
	f.Add([]byte(`{"tool_call_id":"a","name":"b","output":"c","success":true,"executed":{"a":"}","b":[1]},"resources":[{"uri":"/x"}],"ms":12}`))
	f.Add([]byte(`{"tool_call_id":"a","name":"b","output":"\ud83d\ude00","success":true,"ms":1}`))
	f.Add([]byte(`{"id":"a","type":"function","function":{"name":"b","arguments":"\"}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		call := plain{rest: data}
		if got := call.toolCall(); !call.failed {
			var want ToolCallData
			same(t, data, got, &want)
		}
		result := plain{rest: data}
		if got := result.toolResult(); !result.failed {
			// What a message has no use for is passed over, whatever it is.
			want := struct {
				ToolResultData
				Executed  json.RawMessage `json:"executed"`
				Resources json.RawMessage `json:"resources"`
				Millis    json.RawMessage `json:"ms"`
			}{}
			same(t, data, got, &want, &want.ToolResultData)
		}
	})
}

// same checks that got is what encoding/json reads into want, or a part of it.
func same(t *testing.T, data []byte, got any, want ...any) {
	if err := json.Unmarshal(data, want[0]); err != nil {
		t.Fatalf("%q was read, and is no data: %v", data, err)
	}
	if diff := cmp.Diff(reflect.ValueOf(want[len(want)-1]).Elem().Interface(), got); diff != "" {
		t.Fatalf("%q (-encoding/json +plain):\n%s", data, diff)
	}
}

// The form that this package writes is the one that is read fast.
func TestPlainIsWhatIsWritten(t *testing.T) {
	call := plain{rest: Message{Kind: KindToolCall, Call: &ToolCall{ID: "1", Name: "bash", Arguments: "{}"}}.Event().Data}
	result := plain{rest: NewEvent(KindToolResult, "", ToolResultData{ToolCallID: "1", Name: "bash", Output: "{}", Success: true, Note: "n",
		Report: "r", Executed: []byte(`{"command":"a, b}"}`), Resources: []Resource{{URI: "/x", Changed: true}}, Millis: 12}).Data}
	if call.toolCall(); call.failed {
		t.Error("a call is not read")
	}
	if result.toolResult(); result.failed {
		t.Error("a result is not read")
	}
}
