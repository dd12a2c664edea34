package catalog

import (
	"ikigai"
)

// usualBytes is how many bytes of a request a token has before a vendor has
// reported any: about four in English text and code, of the common tokenizers.
const usualBytes = 4.0

// Gauge follows the events of one interaction and tells how many tokens of the
// model's context its conversation takes. What vendors report counts; what came
// after it is estimated by the bytes that a token of this conversation has had.
// The zero value is ready.
type Gauge struct {
	sent     int64   // bytes of the last request
	bytes    float64 // of a request per token, as reported last; 0 if nothing was
	reported int64   // tokens of the last request and its reply
	since    int64   // bytes of what was recorded after them
}

// Add takes in the next event of the interaction.
func (g *Gauge) Add(e ikigai.Event) {
	switch e.Kind {
	case ikigai.KindRequest:
		var d ikigai.RequestData
		if e.DecodeData(&d) == nil {
			g.sent = d.Size
		}
	case ikigai.KindUsage:
		var d ikigai.UsageData
		if e.DecodeData(&d) == nil {
			g.usage(d.Usage)
		}
	case ikigai.KindClear:
		g.sent, g.reported, g.since = 0, 0, 0
	default:
		if e.Kind.Conversation() {
			g.since += int64(len(e.Content) + len(e.Data))
		}
	}
}

// usage takes in what the reply to the last request has cost. A vendor that
// reports nothing leaves the estimate.
func (g *Gauge) usage(u ikigai.Usage) {
	if u.Input <= 0 {
		return
	}
	if g.sent > 0 {
		g.bytes = float64(g.sent) / float64(u.Input)
	}
	g.reported, g.since = u.Input+u.Output, 0
}

// Tokens returns how many tokens the next request is likely to have.
func (g *Gauge) Tokens() int64 {
	perToken := g.bytes
	if perToken == 0 {
		perToken = usualBytes
	}
	if g.reported == 0 {
		return int64(float64(max(g.sent, g.since)) / perToken)
	}
	return g.reported + int64(float64(g.since)/perToken)
}
