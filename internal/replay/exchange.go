package replay

import (
	"context"
	"strings"

	"ikigai"
	"ikigai/internal/history"
)

// exchange is a recorded request and what came of it.
type exchange struct {
	request *ikigai.Event  // nil if it was not recorded
	reply   []ikigai.Event // thinking, text and calls of a whole reply
	broken  *ikigai.Event  // what came of one that was not
	usage   *ikigai.Event
	outcome *ikigai.Event // what followed one that was not whole; nil where the recording ends
	ended   *ikigai.Event // the error that followed outcome
	refused int           // the message of the request that the vendor refused, from 1
}

// nextExchange reads the exchange that events begin with.
func nextExchange(events []ikigai.Event) (x exchange) {
	whole := false // text or a call was found
	for i := range events {
		e := &events[i]
		switch e.Kind {
		case ikigai.KindRequest:
			if x.request != nil || x.begun() {
				x.outcome = e
				return x
			}
			x.request = e
		case ikigai.KindThinking, ikigai.KindAssistant, ikigai.KindToolCall:
			if whole && e.Kind != ikigai.KindToolCall {
				return x
			}
			whole = whole || e.Kind != ikigai.KindThinking
			x.reply = append(x.reply, *e)
		case ikigai.KindInterrupted:
			x.broken = e
		case ikigai.KindUsage:
			x.usage = e
			if whole {
				return x
			}
		default:
			x.outcome = e
			if i+1 < len(events) && events[i+1].Kind == ikigai.KindError {
				x.ended = &events[i+1]
			}
			return x
		}
	}
	return x
}

func (x exchange) begun() bool { return len(x.reply) > 0 || x.broken != nil || x.usage != nil }

// play yields the recorded reply, or fails as it failed.
func (x exchange) play(ctx context.Context, yield func(ikigai.Delta, error) bool) {
	if len(x.reply) > 0 {
		x.yieldReply(yield)
		return
	}
	if x.broken != nil && !yield(ikigai.Delta{Thinking: interrupted(*x.broken).Thinking, Text: x.broken.Content}, nil) {
		return
	}
	if x.usage != nil && !yield(x.end(""), nil) {
		return
	}
	if x.outcome.Kind == ikigai.KindRequest && x.broken == nil && // a call had begun, of which nothing is recorded
		!yield(ikigai.Delta{Call: &ikigai.CallDelta{Name: "unfinished"}}, nil) {
		return
	}
	yield(ikigai.Delta{}, x.failure(ctx))
}

// yieldReply yields a whole reply.
func (x exchange) yieldReply(yield func(ikigai.Delta, error) bool) {
	calls := 0
	for _, e := range x.reply {
		d := ikigai.Delta{}
		m, _ := e.Message() // of thinking there is none
		switch {
		case e.Kind == ikigai.KindThinking:
			d.Thinking = e.Content
		case m.Call != nil:
			d.Call = &ikigai.CallDelta{Index: calls, ID: m.Call.ID, Name: m.Call.Name, Arguments: m.Call.Arguments}
			d.Vendor = m.Vendor
			calls++
		default:
			d.Text, d.Vendor = e.Content, m.Vendor
		}
		if !yield(d, nil) {
			return
		}
	}
	stop := ikigai.StopEnd
	if calls > 0 {
		stop = ikigai.StopToolCalls
	}
	yield(x.end(stop), nil)
}

// end returns the delta with what was used. stop is why the reply ended, where
// that was not recorded.
func (x exchange) end(stop ikigai.StopReason) ikigai.Delta {
	var d ikigai.UsageData
	if x.usage != nil {
		_ = x.usage.DecodeData(&d) // what is damaged tells of nothing
	}
	if d.Stop != "" {
		stop = d.Stop
	}
	end := ikigai.Delta{Stop: stop, ResponseID: d.ResponseID, ServedBy: d.ServedByName}
	if x.usage != nil {
		end.Usage = &d.Usage
	}
	return end
}

// failure returns the error by which the request failed, as far as it shows in
// what came of it.
func (x exchange) failure(ctx context.Context) error {
	reason := ""
	if x.broken != nil {
		reason = strings.TrimSuffix(interrupted(*x.broken).Reason, ".")
	}
	switch x.outcome.Kind {
	case ikigai.KindError:
		if stops(*x.outcome) {
			return ctx.Err() // the player has stopped the turn
		}
		d := failure(*x.outcome)
		return &ikigai.Error{Kind: d.Kind, Status: d.Status, What: strings.TrimSuffix(x.outcome.Content, ".")}
	case ikigai.KindFallback:
		var d ikigai.FallbackData
		_ = x.outcome.DecodeData(&d)
		what, _, _ := strings.Cut(x.outcome.Content, ". "+d.To+" is asked instead")
		return &ikigai.Error{Kind: d.Kind, Status: d.Status, What: what, Do: strings.TrimPrefix(reason, what+". ")}
	case ikigai.KindProjection:
		return &ikigai.Error{Kind: ikigai.ErrorContext, What: reason}
	case ikigai.KindQuarantine:
		var d ikigai.QuarantineData
		_ = x.outcome.DecodeData(&d)
		e := &ikigai.Error{Kind: ikigai.ErrorBadRequest, What: d.Reason, Message: x.refused, StaleState: d.State}
		if d.Filter {
			e.Kind = ikigai.ErrorContentFilter
		}
		if x.ended != nil {
			e.Status = failure(*x.ended).Status
			e.Do = strings.TrimSuffix(strings.TrimPrefix(x.ended.Content, d.Reason+". "), ".")
		}
		return e
	}
	return &ikigai.Error{Kind: ikigai.ErrorIncomplete, What: reason} // it was asked again
}

// refusedOf returns the number of the message, of those that line is sent as,
// that a vendor had refused when it was put into quarantine; 0 if it named none.
func refusedOf(quarantine ikigai.Event, line *history.Line) int {
	var d ikigai.QuarantineData
	if quarantine.DecodeData(&d) != nil || d.State || d.Filter {
		return 0
	}
	for n := range len(line.Request().Messages) {
		var got ikigai.QuarantineData
		made, ok := line.Quarantine(&ikigai.Error{Message: n + 1, What: d.Reason}, d.Model)
		if ok && made.DecodeData(&got) == nil && got.Seq == d.Seq && got.Whole == d.Whole {
			return n + 1
		}
	}
	return 0
}
