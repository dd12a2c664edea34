package scriptserver

import (
	"fmt"
	"strings"

	"ikigai"
)

// String returns s in the format that Parse reads. Parse of it gives the same
// script but for lines and name, as long as no text begins or ends with white
// space or has a line that ends with it.
func (s *Script) String() string {
	var b printer
	if s.Model != "" {
		b.field("model", s.Model)
	}
	if s.Context != 0 {
		b.field("context", fmt.Sprint(s.Context))
	}
	b.chunk(s.Chunk)
	b.delay(s.Delay)
	for i, st := range s.All {
		if i > 0 || b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.opening(st)
		for j := range st.Replies {
			if j > 0 {
				b.field("reply", "")
			}
			b.reply(&st.Replies[j])
		}
	}
	return b.String()
}

type printer struct{ strings.Builder }

// field writes a keyword and its value, which goes into a block of its own if
// it has more than one line.
func (b *printer) field(key, value string) {
	if strings.Contains(value, "\n") {
		b.block(key, "", value)
		return
	}
	b.block(key, value, "")
}

func (b *printer) block(key, first, block string) {
	b.WriteString(strings.TrimRight(key+": "+first, " "))
	b.WriteByte('\n')
	if block == "" {
		return
	}
	for line := range strings.SplitSeq(block, "\n") {
		if line != "" {
			b.WriteString("  " + line)
		}
		b.WriteByte('\n')
	}
}

// opening writes what a statement is for.
func (b *printer) opening(st Statement) {
	switch {
	case st.Side == "":
		b.field("user", string(st.User))
	case st.User == "*":
		b.field("side", string(st.Side))
	default:
		b.named("side", string(st.Side), string(st.User))
	}
}

func (b *printer) reply(r *Reply) {
	for _, p := range r.Steer {
		b.field("steer", string(p))
	}
	for _, p := range r.Expect {
		b.field("expect", string(p))
	}
	for _, p := range r.ExpectNot {
		b.field("expect-not", string(p))
	}
	for _, p := range r.ExpectFeedback {
		b.field("expect-feedback", string(p))
	}
	if r.Repeat != 0 {
		b.field("repeat", fmt.Sprint(r.Repeat))
	}
	b.chunk(r.Chunk)
	b.delay(r.Delay)
	for _, f := range r.Faults {
		b.fault(f)
	}
	if r.Think != "" {
		b.field("think", r.Think)
	}
	if r.Say != "" || r.Think == "" && len(r.Calls) == 0 && len(r.Faults) == 0 {
		b.field("say", r.Say)
	}
	for _, c := range r.Calls {
		b.named("call", c.Name, c.Arguments)
	}
	if r.Finish != "" {
		b.field("finish", r.Finish)
	}
	b.usage(r.Usage, r.NoUsage)
}

// named writes a keyword, a name and what belongs to it.
func (b *printer) named(key, name, value string) {
	if strings.Contains(value, "\n") {
		b.block(key, name, value)
		return
	}
	b.field(key, name+" "+value)
}

func (b *printer) chunk(n int) {
	switch {
	case n < 0:
		b.field("chunk", "all")
	case n > 0:
		b.field("chunk", fmt.Sprint(n))
	}
}

func (b *printer) delay(d *Delay) {
	if d != nil {
		b.field("delay", fmt.Sprint(d.First, " ", d.Between))
	}
}

func (b *printer) usage(u *ikigai.Usage, none bool) {
	switch {
	case none:
		b.field("usage", "none")
	case u != nil:
		b.field("usage", fmt.Sprintf("input %d output %d cached %d reasoning %d", u.Input, u.Output, u.CacheRead, u.Reasoning))
	}
}

func (b *printer) fault(f Fault) {
	head := string(f.Kind)
	for _, n := range []struct {
		word  string
		value int
	}{{"", f.Status}, {" after", f.After}, {" times", f.Times}} {
		if n.value != 0 {
			head += fmt.Sprintf("%s %d", n.word, n.value)
		}
	}
	b.block("fault", head, f.Detail)
}
