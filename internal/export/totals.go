package export

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"ikigai"
)

// totals sums up a session.
type totals struct {
	first, last ikigai.Micros
	statements  int
	calls       int
	failed      int
	models      []string
	replies     int
	usage       ikigai.Usage
	cost        int64 // millionths of a dollar
	priced      int   // replies whose cost is known

	side     int   // replies beside the conversation, which are among the others
	sideCost int64 // of these, millionths of a dollar
}

func (t *totals) add(e ikigai.Event) {
	if t.first == 0 {
		t.first = e.Time
	}
	t.last = max(t.last, e.Time)
	switch e.Kind {
	case ikigai.KindUser:
		if e.IsStatement() {
			t.statements++
		}
	case ikigai.KindToolCall:
		t.calls++
	case ikigai.KindToolResult:
		var d ikigai.ToolResultData
		if e.DecodeData(&d) == nil && !d.Success {
			t.failed++
		}
	case ikigai.KindUsage:
		t.addUsage(e)
	}
}

func (t *totals) addUsage(e ikigai.Event) {
	var d ikigai.UsageData
	if e.DecodeData(&d) != nil {
		return
	}
	t.replies++
	t.usage = sum(t.usage, d.Usage)
	if d.Cost != nil {
		t.cost += *d.Cost
		t.priced++
	}
	if e.Interaction != ikigai.Main && e.Interaction != "" {
		t.side++
		if d.Cost != nil {
			t.sideCost += *d.Cost
		}
	}
	if d.Model != "" && !slices.Contains(t.models, d.Model) && len(t.models) < 20 {
		t.models = append(t.models, d.Model)
	}
}

func sum(a, b ikigai.Usage) ikigai.Usage {
	return ikigai.Usage{
		Input: a.Input + b.Input, Output: a.Output + b.Output, Reasoning: a.Reasoning + b.Reasoning,
		CacheRead: a.CacheRead + b.CacheRead, CacheWrite: a.CacheWrite + b.CacheWrite,
	}
}

// fact is a line of a summary.
type fact struct{ name, value string }

// facts returns what there is to say in sum.
func (t *totals) facts() []fact {
	facts := []fact{
		{"Statements", number(int64(t.statements))},
		{"Tool calls", counted(t.calls, t.failed, "failed")},
	}
	if t.replies > 0 {
		facts = append(facts,
			fact{"Replies", number(int64(t.replies))},
			fact{"Tokens in", counted(int(t.usage.Input), int(t.usage.CacheRead), "from the cache")},
			fact{"Tokens out", counted(int(t.usage.Output), int(t.usage.Reasoning), "reasoning")},
			fact{"Cost", t.costs()},
			fact{"Beside the conversation", t.besides()},
			fact{"Models", strings.Join(t.models, ", ")},
		)
	}
	if took := t.last.Time().Sub(t.first.Time()); t.first > 0 && took > 0 {
		facts = append(facts, fact{"From first to last", took.Round(time.Second).String()})
	}
	return slices.DeleteFunc(facts, func(f fact) bool { return f.value == "" })
}

func (t *totals) costs() string {
	switch {
	case t.priced == 0:
		return "not known"
	case t.priced < t.replies:
		return dollars(t.cost) + fmt.Sprintf(" for the %d replies whose price is known", t.priced)
	}
	return dollars(t.cost)
}

// besides says what of all that side interactions used.
func (t *totals) besides() string {
	if t.side == 0 {
		return ""
	}
	text := counting(t.side, "reply", "replies")
	if t.sideCost > 0 {
		text += ", " + dollars(t.sideCost)
	}
	return text
}

func counting(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return number(int64(n)) + " " + many
}

func dollars(millionths int64) string {
	return fmt.Sprintf("$%.4f", float64(millionths)/1e6)
}

func counted(n, part int, what string) string {
	if part == 0 {
		return number(int64(n))
	}
	return number(int64(n)) + " (" + number(int64(part)) + " " + what + ")"
}

// number returns n with its digits in groups of three.
func number(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
