package catalog

import (
	"ikigai"
)

// How many bytes of a request a token has. UsualBytes is for before a vendor has
// reported any: about four in English text and code, of the common tokenizers.
// A request of which images make up the most would teach a nonsense, so what is
// learnt stays between the others.
const (
	UsualBytes = 4.0
	leastBytes = 1.0
	mostBytes  = 6.0
)

// Gauge follows the events of one interaction and tells how many tokens of the
// model's context its conversation takes. What vendors report counts; what came
// after it is estimated by the bytes that a token of this conversation has had.
// After a projection, which changes what is sent, its own estimate counts until
// a vendor reports again. The zero value is ready. Add costs next to nothing, as
// it sees every event of a session that is restored.
type Gauge struct {
	request    ikigai.Event // the last one
	usage      ikigai.Event // the last one
	counted    ikigai.Event // the request that usage belongs to
	projection ikigai.Event // the last one, if it came after usage
	since      int64        // bytes of what was recorded after usage, or projection
	unsent     int64        // bytes of what was recorded after request
}

// Add takes in the next event of the interaction.
func (g *Gauge) Add(e ikigai.Event) {
	switch e.Kind {
	case ikigai.KindRequest:
		g.request, g.unsent = ikigai.Event{Seq: e.Seq, Kind: e.Kind, Data: e.Data}, 0
	case ikigai.KindUsage:
		g.usage, g.counted, g.since = e, g.request, 0
		g.projection = ikigai.Event{}
	case ikigai.KindProjection:
		g.projection, g.since = e, 0
	case ikigai.KindClear:
		*g = Gauge{}
	default:
		if e.Kind.Conversation() {
			n := int64(len(e.Content) + len(e.Data))
			g.since += n
			g.unsent += n
		}
	}
}

// Tokens returns how many tokens the next request is likely to have.
func (g *Gauge) Tokens() int64 {
	var p ikigai.ProjectionData
	if _ = g.projection.DecodeData(&p); p.After > 0 { // damaged, it says nothing
		return p.After + int64(float64(g.since)/g.PerToken())
	}
	u := g.reported()
	if u.Input <= 0 {
		return int64(float64(size(g.request)+g.unsent) / UsualBytes)
	}
	return u.Input + u.Output + int64(float64(g.since)/g.PerToken())
}

// PerToken returns how many bytes of a request a token of this conversation has.
func (g *Gauge) PerToken() float64 {
	u, sent := g.reported(), size(g.counted)
	if u.Input <= 0 || sent <= 0 {
		return UsualBytes
	}
	return min(max(float64(sent)/float64(u.Input), leastBytes), mostBytes)
}

// reported returns what the vendor reported last; damaged, it is nothing.
func (g *Gauge) reported() (d ikigai.UsageData) {
	_ = g.usage.DecodeData(&d)
	return d
}

// size returns the bytes of a request, 0 where there is none.
func size(request ikigai.Event) int64 {
	var d ikigai.RequestData
	_ = request.DecodeData(&d) // damaged, its size is not known
	return d.Size
}
