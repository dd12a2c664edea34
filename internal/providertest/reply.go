package providertest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"ikigai"
)

// Reply is what the deltas of a reply come to.
type Reply struct {
	Text, Thinking, Refusal string
	Calls                   []ikigai.ToolCall // by their index
	Usage                   *ikigai.Usage
	Vendor                  ikigai.VendorState
	Stop                    ikigai.StopReason
	ResponseID, ServedBy    string
	Retries                 []ikigai.Retry
	Err                     error
}

// Collect streams req to its end. It fails the test where the deltas break the
// contract of ikigai.Model.
func Collect(t testing.TB, model ikigai.Model, req ikigai.Request) Reply {
	t.Helper()
	var r Reply
	ended := false
	for d, err := range model.Stream(t.Context(), req) {
		if ended {
			t.Fatalf("a delta after the last one: %+v, %v", d, err)
		}
		if ended = err != nil || d.Stop != ""; err != nil {
			r.Err = err
			if _, ok := err.(*ikigai.Error); !ok {
				t.Fatalf("the error is a %T: %v", err, err)
			}
			continue
		}
		if err := r.Add(d); err != nil {
			t.Fatal(err)
		}
	}
	if !ended {
		t.Fatal("the reply has no end")
	}
	return r
}

// Add joins d to the reply. The error says how d breaks the contract.
func (r *Reply) Add(d ikigai.Delta) error {
	if d.Retry != nil {
		if r.Text+r.Thinking+r.Refusal != "" || len(r.Calls) > 0 {
			return fmt.Errorf("a retry after a piece of the reply")
		}
		r.Retries = append(r.Retries, *d.Retry)
	}
	r.Text += d.Text
	r.Thinking += d.Thinking
	r.Refusal += d.Refusal
	if c := d.Call; c != nil {
		if c.Index == len(r.Calls) {
			r.Calls = append(r.Calls, ikigai.ToolCall{})
		}
		if c.Index < 0 || c.Index >= len(r.Calls) {
			return fmt.Errorf("call %d follows %d calls", c.Index, len(r.Calls))
		}
		to := &r.Calls[c.Index]
		if c.ID != "" && to.ID != "" || c.Name != "" && to.Name != "" {
			return fmt.Errorf("call %d has its ID or name twice", c.Index)
		}
		to.ID += c.ID
		to.Name += c.Name
		to.Arguments += c.Arguments
	}
	if d.Usage != nil {
		r.Usage = d.Usage
	}
	if d.Vendor != nil {
		r.Vendor = d.Vendor
	}
	if d.Stop != "" {
		r.Stop = d.Stop
	}
	if d.ResponseID != "" {
		r.ResponseID = d.ResponseID
	}
	if d.ServedBy != "" {
		r.ServedBy = d.ServedBy
	}
	return nil
}

// String returns the reply, a line for each thing that is there. An ID that
// the package under test made up is shown as such.
func (r Reply) String() string {
	var b strings.Builder
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%s %s\n", name, value)
		}
	}
	quoted := func(name, value string) {
		if value != "" {
			line(name, fmt.Sprintf("%q", value))
		}
	}
	line("id", r.ResponseID)
	line("served by", r.ServedBy)
	quoted("thinking", r.Thinking)
	quoted("text", r.Text)
	quoted("refusal", r.Refusal)
	for i, c := range r.Calls {
		id := c.ID
		if len(id) == len("call_")+26 && strings.ToUpper(id[5:]) == id[5:] {
			id = "(made up)"
		}
		fmt.Fprintf(&b, "call %d %s %s %q\n", i, id, c.Name, c.Arguments)
	}
	for _, owner := range slices.Sorted(maps.Keys(r.Vendor)) {
		line("vendor "+owner, string(r.Vendor[owner]))
	}
	if r.Usage != nil {
		raw, _ := json.Marshal(r.Usage)
		line("usage", string(raw))
	}
	line("stop", string(r.Stop))
	if r.Err != nil {
		line("error "+string(ikigai.KindOf(r.Err)), r.Err.Error())
	}
	return b.String()
}
