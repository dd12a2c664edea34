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
// The zero value is ready. Add costs next to nothing, as it sees every event of a
// session that is restored.
type Gauge struct {
	request ikigai.Event // the last one
	usage   ikigai.Event // the last one
	counted ikigai.Event // the request that usage belongs to
	since   int64        // bytes of what was recorded after usage
}

// Add takes in the next event of the interaction.
func (g *Gauge) Add(e ikigai.Event) {
	switch e.Kind {
	case ikigai.KindRequest:
		g.request = ikigai.Event{Seq: e.Seq, Kind: e.Kind, Data: e.Data}
	case ikigai.KindUsage:
		g.usage, g.counted, g.since = e, g.request, 0
	case ikigai.KindClear:
		*g = Gauge{}
	default:
		if e.Kind.Conversation() {
			g.since += int64(len(e.Content) + len(e.Data))
		}
	}
}

// Tokens returns how many tokens the next request is likely to have.
func (g *Gauge) Tokens() int64 {
	var u ikigai.UsageData
	_ = g.usage.DecodeData(&u) // damaged, it reports nothing
	if u.Input <= 0 {
		return int64(float64(max(size(g.request), g.since)) / usualBytes)
	}
	perToken := usualBytes
	if sent := size(g.counted); sent > 0 {
		perToken = float64(sent) / float64(u.Input)
	}
	return u.Input + u.Output + int64(float64(g.since)/perToken)
}

// size returns the bytes of a request, 0 where there is none.
func size(request ikigai.Event) int64 {
	var d ikigai.RequestData
	_ = request.DecodeData(&d) // damaged, its size is not known
	return d.Size
}
