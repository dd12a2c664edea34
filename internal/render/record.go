package render

import (
	"fmt"
	"strings"
	"time"

	"ikigai"
	"ikigai/internal/safetext"
	"ikigai/internal/transcript"
)

// record shows what is kept beside the conversation, if s asks for it.
func (s Style) record(b transcript.Block) string {
	if !s.Verbose {
		return ""
	}
	switch d := b.Body.(type) {
	case ikigai.ToolsData:
		names := make([]string, len(d.Tools))
		for i, t := range d.Tools {
			names[i] = line(t.Name)
		}
		return "  " + s.paint(faint, "tools: "+strings.Join(names, ", ")) + "\n"
	case ikigai.RequestData:
		kept, choice := "", ""
		if d.Previous > 0 {
			kept = fmt.Sprintf("%s as in #%d", number(d.Kept), d.Previous)
		}
		if d.ToolChoice != "" {
			choice = "tool choice " + line(d.ToolChoice)
		}
		return "  " + s.paint(faint, s.join("request to "+line(d.Model), count(d.Size, "byte"),
			kept, choice, "sha256 "+line(d.SHA256))) + "\n"
	}
	return s.behind("  ", "  ", faint, safetext.Terminal(b.Text))
}

// usage shows what a reply cost, if s asks for it, and in any case that it was
// cut off.
func (s Style) usage(b transcript.Block) string {
	d, _ := b.Body.(ikigai.UsageData)
	text := ""
	if d.Stop == ikigai.StopLength {
		text = s.alert("The reply was cut off at the limit of its length. Ask for the rest, or for less at a time.")
	}
	if s.Verbose {
		text += "  " + s.paint(faint, s.spent(d)) + "\n"
	}
	return text
}

func (s Style) spent(d ikigai.UsageData) string {
	in := count(d.Input, "token") + " in"
	if d.CacheRead > 0 {
		in += " (" + number(d.CacheRead) + " cached)"
	}
	out := number(d.Output) + " out"
	if d.Reasoning > 0 {
		out += " (" + number(d.Reasoning) + " of them reasoning)"
	}
	took := Duration(time.Duration(d.TotalMillis) * time.Millisecond)
	first := fmt.Sprintf("first after %s", Duration(time.Duration(d.FirstMillis)*time.Millisecond))
	cost := ""
	if d.Cost != nil {
		cost = Dollars(*d.Cost)
	}
	return s.join(line(d.Model), in, out, cost, took, first, line(string(d.Stop)))
}
