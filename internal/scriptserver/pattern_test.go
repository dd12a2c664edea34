package scriptserver

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What stands in quotes is text, whatever it looks like; the white space around it
// is said, and not compared.
func TestQuotesInPatterns(t *testing.T) {
	script, err := Parse("it.script", []byte(`user: *
say: any
user: {{"*"}}
say: star
user: {{"/o/"}}
say: slashes
user: {{"look\n"}}
say: look
user: look
say: again
user:
  a{{"\t"}}
  {{"{{"}}b
steer: {{" also\n"}}
expect: {{" c "}}
say: lines
side: task {{" x\n"}}
say: x
`))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"*", "/o/", "look\n", "look", "a\t\n{{b"}, script.Statements()); diff != "" {
		t.Errorf("Statements (-want +got):\n%s", diff)
	}
	p, err := compile(script)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		said []string
		want string
	}{
		{[]string{"*"}, "star"},
		{[]string{"/o/"}, "slashes"},
		{[]string{"good"}, "any"},
		{[]string{" look\r\n"}, "look"},
		{[]string{"look", "look\n"}, "again"},
		{[]string{"a\t\n{{b\n"}, "lines"},
		{[]string{"before\na\t\n{{b"}, "lines"},
	} {
		var messages []message
		for _, text := range test.said {
			messages = append(messages, newMessage("user", "", []string{text}))
		}
		if st := p.choose(messages); st == nil || st.replies[0].Reply.Say != test.want {
			t.Errorf("%q: %+v, not %s", test.said, st, test.want)
		}
	}
	lines := p.statements[len(p.statements)-1]
	if !lines.knows(0, "also") || lines.knows(0, "other") || !p.added["also"] {
		t.Error("what is added is not found by its text")
	}
	if expect := lines.replies[0].expect[0]; !expect("b c d") || expect("b\nc") {
		t.Error("what is expected is not compared as it is")
	}
	if st, err := p.chooseSide("task", "a x b"); err != nil || st.replies[0].Reply.Say != "x" {
		t.Errorf("a side interaction: %+v, %v", st, err)
	}
}
