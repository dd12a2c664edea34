package history

import (
	"bytes"
	"encoding/json"

	"ikigai"
)

// What is needed of a result here is little, and its output may be long: when a
// session is restored, most of the time would go into decoding that. In the form
// in which results are written, the members of the data stand in a known order,
// and inside a JSON string no quote stands without a backslash before it; so a
// member is found by its name. Data in any other form is decoded as a whole.

// outcome is how a call went.
type outcome struct {
	name    string
	success bool
}

// outcomeOf returns how the call went that e is the result of, and false if its
// data is damaged.
func outcomeOf(e ikigai.Event) (outcome, bool) {
	if o, ok := plainOutcome(e.Data); ok {
		return o, true
	}
	var d struct {
		Name    string `json:"name"`
		Success bool   `json:"success"`
	}
	err := e.DecodeData(&d)
	return outcome{d.Name, d.Success}, err == nil
}

func plainOutcome(data []byte) (o outcome, ok bool) {
	rest, ok := bytes.CutPrefix(data, []byte(`{"tool_call_id":"`))
	if !ok {
		return o, false
	}
	if _, rest, ok = bytes.Cut(rest, []byte(`","name":"`)); !ok {
		return o, false
	}
	name, rest, ok := bytes.Cut(rest, []byte(`","output":"`))
	if !ok || bytes.IndexByte(name, '\\') >= 0 {
		return o, false
	}
	_, rest, ok = bytes.Cut(rest, []byte(`","success":`))
	if !ok {
		return o, false
	}
	o = outcome{string(name), bytes.HasPrefix(rest, []byte("true"))}
	return o, o.success || bytes.HasPrefix(rest, []byte("false"))
}

// callOf returns the ID of the call that e is the result of.
func callOf(e ikigai.Event) string {
	if rest, ok := bytes.CutPrefix(e.Data, []byte(`{"tool_call_id":"`)); ok {
		if id, _, ok := bytes.Cut(rest, []byte(`"`)); ok && bytes.IndexByte(id, '\\') < 0 {
			return string(id)
		}
	}
	var d struct {
		ID string `json:"tool_call_id"`
	}
	_ = e.DecodeData(&d) // damaged, it is of no call
	return d.ID
}

// resourcesOf returns the files and URLs that a result names.
func resourcesOf(e ikigai.Event) []ikigai.Resource {
	member := []byte(`"resources":`)
	at := bytes.LastIndex(e.Data, member)
	if at < 0 {
		return nil // most results are long, and of no file
	}
	var list []ikigai.Resource
	tail := e.Data[at+len(member):]
	if end := bytes.LastIndex(tail, []byte(`,"ms":`)); end >= 0 && json.Unmarshal(tail[:end], &list) == nil {
		return list
	}
	var whole struct {
		Resources []ikigai.Resource `json:"resources"`
	}
	if e.DecodeData(&whole) != nil {
		return nil
	}
	return whole.Resources
}
