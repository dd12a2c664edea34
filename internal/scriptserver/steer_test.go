package scriptserver

import (
	"strings"
	"testing"
)

const steeringScript = `
user: look
call: ls {}

reply:
steer: only the top
say: Only that.

user: go on
say: I go on.
`

// What a person adds behind results goes on with the statement whose reply knows of
// it, whether it stands in a message of its own or in that of the results; what is
// a statement by its text begins one there, too. A note about a run is neither.
func TestSteering(t *testing.T) {
	script, err := Parse("test", []byte(steeringScript))
	if err != nil {
		t.Fatal(err)
	}
	p, err := compile(script)
	if err != nil {
		t.Fatal(err)
	}
	before := []message{newMessage("user", "", []string{"look"}), {role: "assistant", calls: []string{"c1"}}}
	for _, tt := range []struct {
		said, want string
		beside     bool
	}{
		{"only the top", "Only that.", false},
		{"only the top", "Only that.", true},
		{"go on", "I go on.", false},
		{"go on", "I go on.", true},
		{"a note that says go on", "Only that.", true},
	} {
		r := &request{choice: "auto", messages: append(before[:2:2], message{role: "tool", callID: "c1", text: "a b"})}
		if tt.beside {
			r.addTexts(1, []string{tt.said})
		} else {
			r.messages = append(r.messages, newMessage("user", "", []string{tt.said}))
		}
		m, err := p.moment(r)
		if err != nil || m.reply.Say != tt.want {
			t.Errorf("%+v: %+v, %v", tt, m, err)
		}
	}
	if again, err := Parse("test", []byte(script.String())); err != nil || !strings.Contains(again.String(), "\nsteer: only the top\n") {
		t.Errorf("%v: %s", err, script)
	}
}
