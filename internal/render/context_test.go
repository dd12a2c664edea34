package render

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
)

func TestContext(t *testing.T) {
	c := Context{Model: "local/m", Limit: 200_000, Bytes: 1_234_567, Tokens: 48_000, Parts: []ContextPart{
		{Kind: "prompt", Bytes: 412, Tokens: 103},
		{Kind: "instructions", Name: "/home/somebody/.config/ikigai/AGENTS.md", Bytes: 32_768, Tokens: 8_192},
		{Kind: "statement", Name: "5 Why does the build fail on other machines? (12 messages)", Bytes: 1_201_387, Tokens: 39_705},
	}}
	want := `PART                                                                          BYTES  TOKENS
prompt                                                                          412     103
instructions  /home/somebody/.config/ikigai/AGENTS.md                        32,768   8,192
statement     5 Why does the build fail on other machines? (12 messages)  1,201,387  39,705
in all                                                                    1,234,567  48,000

About 24 % of the 200,000 tokens that local/m takes.
`
	if diff := cmp.Diff(want, Style{}.Context(c)); diff != "" {
		t.Error(diff)
	}
	c.Limit = 0
	for width := 40; width < 120; width += 7 {
		table, after, _ := strings.Cut(Style{Width: width}.Context(c), "\n\n")
		for line := range strings.Lines(table) {
			if w := ansi.StringWidth(strings.TrimSuffix(line, "\n")); w > width {
				t.Errorf("%d columns of %d: %s", w, width, line)
			}
		}
		if !strings.Contains(table, "ENTS.md") || !strings.HasSuffix(table, "48,000") || width > 40 && !strings.Contains(table, "1,234,567") {
			t.Errorf("at %d columns:\n%s", width, table)
		}
		if after != "How much local/m takes is not known. Set context_limit to be told.\n" {
			t.Errorf("%q", after)
		}
	}
}
