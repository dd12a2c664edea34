package agent

import (
	"context"
	"crypto/rand"
	"strings"
	"sync"
	"time"

	"ikigai"
	"ikigai/internal/crash"
)

// reply is a model's reply as it comes in. Pieces are joined in linear time.
type reply struct {
	model    string // vendor/model
	text     strings.Builder
	thinking strings.Builder
	calls    []*pendingCall
	byIndex  map[int]*pendingCall
	usage    *ikigai.Usage
	vendor   ikigai.VendorState
	stop     ikigai.StopReason
	id       string // the vendor's name for the reply
	servedBy string

	sent  time.Time
	first time.Duration // from sent to the first delta
	total time.Duration
}

// pendingCall is a call whose arguments are still arriving.
type pendingCall struct {
	id, name  string
	arguments strings.Builder
}

// send sends the conversation to a model and returns its whole reply. With an
// error comes what there was of it.
func (a *Agent) send(ctx context.Context, to Candidate, choice ikigai.ToolChoice) (*reply, error) {
	r := &reply{model: to.Name, sent: time.Now()}
	if err := a.History.Load(); err != nil {
		return r, err
	}
	a.recording.Lock()
	request := a.History.Request()
	a.recording.Unlock()
	request.ToolChoice = choice
	request.Level = to.Level
	request.MaxOutput = a.MaxOutput
	request.CacheKey = a.CacheKey
	if !to.NoFormat {
		request.Format = a.Format
	}
	var recording sync.WaitGroup // beside the way: what is sent may be large
	defer recording.Wait()
	request.Sending = func(sent ikigai.Sent) {
		recording.Go(func() {
			a.recording.Lock()
			defer a.recording.Unlock()
			defer crash.Guard()
			a.Recorder.Queue(a.History.Sent(to.Name, choice, sent))
		})
		r.sent = time.Now()
		if a.Watcher != nil {
			a.Watcher.Begin()
		}
		if a.Waiting != nil {
			a.Waiting()
		}
	}
	for delta, err := range to.Model.Stream(ctx, request) {
		if err != nil {
			return r, err
		}
		r.add(delta)
		a.Recorder.Show(delta)
	}
	r.total = time.Since(r.sent)
	if r.stop == "" {
		return r, &ikigai.Error{Kind: ikigai.ErrorIncomplete, What: "The reply ended before its end",
			Do: "Ask again with `ikigai run --continue`"}
	}
	return r, nil
}

func (r *reply) add(d ikigai.Delta) {
	if r.first == 0 && d.Retry == nil {
		r.first = time.Since(r.sent)
	}
	r.text.WriteString(d.Text)
	r.text.WriteString(d.Refusal)
	r.thinking.WriteString(d.Thinking)
	if d.Call != nil {
		r.addCall(*d.Call)
	}
	if d.Usage != nil {
		r.usage = d.Usage
	}
	for key, state := range d.Vendor {
		if r.vendor == nil {
			r.vendor = ikigai.VendorState{}
		}
		r.vendor[key] = state
	}
	if d.Stop != "" {
		r.stop = d.Stop
	}
	if d.ResponseID != "" {
		r.id = d.ResponseID
	}
	if d.ServedBy != "" {
		r.servedBy = d.ServedBy
	}
}

func (r *reply) addCall(d ikigai.CallDelta) {
	c := r.byIndex[d.Index]
	if c == nil {
		c = new(pendingCall)
		if r.byIndex == nil {
			r.byIndex = map[int]*pendingCall{}
		}
		r.byIndex[d.Index] = c
		r.calls = append(r.calls, c)
	}
	if c.id == "" {
		c.id = d.ID
	}
	if c.name == "" {
		c.name = d.Name
	}
	c.arguments.WriteString(d.Arguments)
}

// empty reports whether the reply holds neither text nor calls.
func (r *reply) empty() bool {
	return len(r.calls) == 0 && strings.TrimSpace(r.text.String()) == ""
}

// begun reports whether anything of the reply has come.
func (r *reply) begun() bool { return r.text.Len()+r.thinking.Len()+len(r.calls) > 0 }

// tokensOf returns what a reply, which is recorded, and its request took. Where
// the vendor does not say, it is about what the next request begins with.
func (a *Agent) tokensOf(r *reply) int64 {
	if r.usage != nil && r.usage.Input+r.usage.Output > 0 || a.Fitter == nil {
		return r.tokens()
	}
	return a.Fitter.Tokens()
}

// tokens returns what the reply and its request took, as far as that is known.
func (r *reply) tokens() int64 {
	if r.usage == nil {
		return 0
	}
	return r.usage.Input + r.usage.Output
}

// unseen reports whether nothing of the answer has been shown, so that another
// reply can come in its place.
func (r *reply) unseen() bool { return r.text.Len() == 0 }

// toolCalls returns the calls in order, each with an ID of its own: results
// are told apart by it in the log.
func (r *reply) toolCalls() []ikigai.ToolCall {
	calls := make([]ikigai.ToolCall, len(r.calls))
	seen := make(map[string]bool, len(r.calls))
	for i, c := range r.calls {
		if c.id == "" || seen[c.id] {
			c.id = "call_" + strings.ToLower(rand.Text())
		}
		seen[c.id] = true
		calls[i] = ikigai.ToolCall{ID: c.id, Name: c.name, Arguments: c.arguments.String()}
	}
	return calls
}

// events returns the reply as the log keeps it.
func (r *reply) events(a *Agent) []ikigai.Event {
	var events []ikigai.Event
	if text := r.text.String(); ikigai.CleanText(text) != text {
		r.vendor = nil // it speaks of another text than the log will hold
	}
	if r.thinking.Len() > 0 {
		events = append(events, ikigai.NewEvent(ikigai.KindThinking, r.thinking.String(), nil))
	}
	if r.text.Len() > 0 || len(r.calls) == 0 {
		m := ikigai.Message{Kind: ikigai.KindAssistant, Content: r.text.String()}
		if len(r.calls) == 0 {
			m.Vendor = r.vendor
		}
		events = append(events, m.Event())
	}
	for i, call := range r.toolCalls() {
		m := ikigai.Message{Kind: ikigai.KindToolCall, Content: describeCall(call, a.tool(call.Name)), Call: &call}
		if i == 0 {
			m.Vendor = r.vendor // not on the text beside it, which may be blank and is then not sent
		}
		events = append(events, m.Event())
	}
	return append(events, r.usageEvent(a))
}

func (r *reply) usageEvent(a *Agent) ikigai.Event {
	d := ikigai.UsageData{
		Model: r.model, Stop: r.stop, ResponseID: r.id, ServedByName: r.servedBy,
		FirstMillis: r.first.Milliseconds(), TotalMillis: r.total.Milliseconds(),
	}
	if r.usage != nil {
		d.Usage = *r.usage
		if a.Price != nil {
			d.Cost = a.Price(r.model, d.Usage)
		}
	}
	return ikigai.NewEvent(ikigai.KindUsage, "", d)
}
