package agent

import (
	"testing"

	"ikigai"
)

// Once the tokens of a statement are spent, the model may answer, and call no more
// tools; an answer that spends the last of them is one.
func TestTokensAreSpent(t *testing.T) {
	costs := func(n int64, reply []any) []any {
		return append([]any{ikigai.Delta{Usage: &ikigai.Usage{Input: n - 10, Output: 10}}}, reply...)
	}
	replies := [][]any{costs(40, calls("1 any {}")), costs(60, calls("2 any {}")), costs(50, says("done"))}
	cases := []struct {
		most     int64
		spent    bool
		requests []ikigai.ToolChoiceMode
	}{
		{0, false, []ikigai.ToolChoiceMode{"", "", ""}},
		{101, false, []ikigai.ToolChoiceMode{"", "", ""}},
		{100, true, []ikigai.ToolChoiceMode{"", "", "none"}},
		{1, true, []ikigai.ToolChoiceMode{"", "none"}},
	}
	for _, c := range cases {
		played := replies
		if len(c.requests) == 2 {
			played = [][]any{replies[0], replies[2]}
		}
		a, _, m := newAgent(t, played, tool("any", false, echo))
		a.MaxTokens = c.most
		out, err := run(t, a)
		if err != nil || out.Spent != c.spent || out.Answer != "done" {
			t.Errorf("%d: %+v, %v", c.most, out, err)
		}
		for i, want := range c.requests {
			if got := m.requests[i].ToolChoice.Mode; got != want {
				t.Errorf("%d: request %d has tool choice %q", c.most, i+1, got)
			}
		}
	}
}

// What no vendor counts is counted about: a budget holds for it, too.
func TestUncountedTokensAreSpent(t *testing.T) {
	for name, usage := range map[string][]any{"nothing": nil, "zeros": {ikigai.Delta{Usage: &ikigai.Usage{}}}} {
		a, _, _ := newAgent(t, [][]any{append(usage, calls("1 any {}")...), says("done")}, tool("any", false, echo))
		a.MaxTokens, a.Fitter = 100, weighed{}
		out, err := run(t, a)
		if err != nil || !out.Spent || out.Tokens != 200 {
			t.Errorf("%s is reported: %+v, %v", name, out, err)
		}
	}
}

// weighed is a Fitter of a conversation of 100 tokens.
type weighed struct{ Fitter }

func (weighed) Tokens() int64        { return 100 }
func (weighed) Refused(string) int64 { return 0 }
func (weighed) Full(int64) bool      { return false }
