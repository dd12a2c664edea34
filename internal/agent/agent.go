// Package agent is the loop between a model and its tools: a statement of the
// person goes to the model, the tools that the model calls are run, their
// results go back, until the model answers.
//
// It sees the session as an ikigai.Recorder, the conversation as a Projection
// of what it records, and nothing of stores, vendors and screens.
package agent

import (
	"context"
	"errors"
	"sync"

	"ikigai"
)

// Projection is a function of what the Recorder has recorded.
type Projection interface {
	// Load loads what the next Request needs. After an error, which is one of
	// the moment, no request is made.
	Load() error
	// Request returns the conversation as the model gets it.
	Request() ikigai.Request
	// Sent returns the event that records a request as it was sent. It is
	// called while nothing else of the interaction is recorded.
	Sent(model string, choice ikigai.ToolChoice, sent ikigai.Sent) ikigai.Event
	// Quarantine returns the event after which the part of the last Request that
	// the model's vendor refuses is not sent any more as it is. It returns false if
	// there is nothing that could be left out.
	Quarantine(refusal *ikigai.Error, model string) (ikigai.Event, bool)
	// QuarantineStatement returns the event after which the statement, which a
	// content filter refuses for reason, is not sent with the next one. It returns
	// false if what is refused is not in it.
	QuarantineStatement(model, reason string) (ikigai.Event, bool)
	// PreImage returns the hash of what was last kept of a file before a
	// change, or "".
	PreImage(path string) string
}

// Agent runs statements of one interaction. Its fields are set before the
// first Run and not changed while one is under way.
type Agent struct {
	Model     ikigai.Model
	ModelName string // vendor/model, for the record
	Level     ikigai.Level
	NoFormat  bool // the model cannot be held to a Format
	// Context is how many tokens a request and its reply may have, 0 where nobody
	// knows, and UsualOutput how many a reply has where MaxOutput does not say.
	// Fitter keeps the conversation within it; nil leaves that to the vendor.
	Context, UsualOutput int
	Fitter               Fitter
	// Fallbacks are asked, one after the other, where the model does not answer;
	// see Candidate.
	Fallbacks []Candidate

	Tools    []ikigai.Tool
	Recorder ikigai.Recorder
	History  Projection
	Dir      string // working directory of the tools
	CacheKey string // the same for all requests of a session, such as its ID; "" for none

	ToolChoice    ikigai.ToolChoice // of a statement's first request; after it the model is free, unless it is none
	MaxToolTurns  int               // rounds of tools in a statement
	MaxTokens     int64             // of requests and replies of a statement, after which no more tools run; 0 for no limit
	MaxOutputSize int               // bytes of a result, after the tool's own limit
	ResultFormat  string            // Frontmatter, or "" for results in JSON, as the tools give them
	Concurrency   int               // read-only tools that may run at once; 1 runs every tool alone
	MaxOutput     int               // tokens of a reply; 0 leaves it to the vendor
	MaxRetries    int               // of a request whose reply broke off before its text began; 2 at most are used

	// Format is the form that the answer must have; nil leaves it free. A model
	// that cannot be held to it is told of it in words. CheckAnswer, which may be
	// nil, says what of an answer in JSON does not fit.
	Format      *ikigai.Format
	CheckAnswer func(answer string) error
	// AskOnce makes an answer that does not have the form an error. Else the model
	// is told so, and asked once more.
	AskOnce bool

	// Price returns what a reply of a model cost, in millionths of a US dollar,
	// or nil where that is not known. It may be nil.
	Price func(model string, u ikigai.Usage) *int64
	// Approve is asked before a tool that may change something runs. Nil
	// allows everything.
	Approve func(ctx context.Context, request Approval) Verdict
	// Progress is told that a tool begins to run, with no output, and takes what it
	// prints, for the person. It may be nil.
	Progress func(callID string, output []byte)
	// AllowVolatile is asked, once in a statement, whether tools that change
	// something may run although their calls cannot be recorded on any disk. Nil
	// allows none.
	AllowVolatile func(context.Context) bool
	// Steer takes what the person has said since, which the model is told with the
	// results of a round: user events by ikigai.BySteer. It is called once the
	// results are recorded and a request is to follow, so what is said while the
	// last reply comes is left to be a statement of its own. It may be nil.
	Steer func() []ikigai.Event

	// KeepDir is the directory, made when it is first needed, for what files held
	// before a change where that is too large for a store; "" keeps none of it.
	KeepDir string
	// OutputDir is the directory, made when it is first needed, for results that
	// are too long to be sent whole; "" keeps nothing of what is cut off.
	OutputDir string

	// Notes returns what the model is told, with a result, of the resources that
	// a tool has come to. It may be nil.
	Notes func([]ikigai.Resource) string

	// Watcher finds what tools change that do not announce it. It may be nil.
	Watcher  Watcher
	watching watching

	// Standing knows how the conversation stands, of which the model is told
	// after each round of tools, as Feedback says: FeedbackOn or FeedbackAuto.
	// Where either is empty, it is told nothing.
	Standing Standing
	Feedback string

	// Waiting is called whenever a request goes out: nobody waits for what is done
	// meanwhile. It returns at once, and may be nil.
	Waiting func()

	stops    stops
	volatile answerOnce

	// recording keeps what comes from beside the loop from standing between a
	// request and the event that records it.
	recording sync.Mutex
}

// Outcome is how a statement ended.
type Outcome struct {
	Answer       string            // the text of the last reply; with a Format the JSON in it, alone
	Stop         ikigai.StopReason // of the last reply
	Turns        int               // rounds of tools
	LimitReached bool              // MaxToolTurns was reached, even if an answer came after it
	Tokens       int64             // of requests and whole replies: as vendors report them, else about as many
	Spent        bool              // MaxTokens was reached while tools were called, even if an answer came after it
	Denied       int               // calls that were not allowed
}

// Run takes a statement of the person to its answer. Everything is recorded as
// it happens, so that whenever Run returns, with whatever error, the
// conversation can go on. The error is an *ikigai.Error.
func (a *Agent) Run(ctx context.Context, statement ikigai.Event) (Outcome, error) {
	defer a.settle(ctx)
	var out Outcome
	if _, err := a.Recorder.Record(ctx, a.withFormat(statement)); err != nil {
		return out, closed(err)
	}
	choice := a.ToolChoice
	asked := asking{candidates: a.candidates()}
	var told told
	a.volatile.forget()
	for {
		reply, err := a.ask(ctx, &asked, choice)
		if err != nil {
			return out, a.fail(ctx, reply, err)
		}
		durability, err := a.Recorder.Record(ctx, reply.events(a)...)
		if err != nil {
			return out, closed(err)
		}
		out.Answer, out.Stop = reply.text.String(), reply.stop
		last := out.LimitReached || out.Spent || choice.Mode == ikigai.ToolChoiceNone || len(reply.calls) == 0
		out.Tokens += a.tokensOf(reply)
		if len(reply.calls) > 0 {
			out.Spent = a.MaxTokens > 0 && out.Tokens >= a.MaxTokens
			if !out.LimitReached {
				out.Turns++
				out.LimitReached = out.Turns >= a.MaxToolTurns
			}
			round := a.admit(ctx, reply, choice, durability)
			round.limit = out.LimitReached
			denied, err := a.execute(ctx, round)
			out.Denied += denied
			if err != nil {
				return out, err
			}
		}
		if last {
			if err := a.finish(ctx, reply, choice); err != nil {
				return out, err
			}
			again, err := a.checkAnswer(ctx, &asked, &out)
			if err != nil || !again {
				return out, err
			}
			choice.Mode = ikigai.ToolChoiceNone // JSON alone
			continue
		}
		a.tell(out.Turns, &told)
		if err := a.takeSteering(ctx); err != nil {
			return out, err
		}
		choice = ikigai.ToolChoice{} // what was demanded is done
		if out.LimitReached || out.Spent {
			choice.Mode = ikigai.ToolChoiceNone // one turn to answer
		}
	}
}

// finish judges a last reply: one that is recorded and yet no answer is an
// error.
func (a *Agent) finish(ctx context.Context, r *reply, choice ikigai.ToolChoice) error {
	demanded := choice.Mode == ikigai.ToolChoiceRequired || choice.Mode == ikigai.ToolChoiceNamed
	switch {
	case demanded && len(r.calls) == 0:
		return a.report(ctx, &ikigai.Error{Kind: ikigai.ErrorIncomplete,
			What: "The model called no tool although tool_choice is " + choice.String(),
			Do:   "Set tool_choice to auto, or choose a model that follows it"})
	case r.stop == ikigai.StopFilter:
		return a.report(ctx, &ikigai.Error{Kind: ikigai.ErrorContentFilter,
			What: "The vendor's content filter cut the answer off",
			Do:   "Put the request in other words, or choose another model"})
	case choice.Mode == ikigai.ToolChoiceNone && len(r.calls) > 0 && a.ToolChoice.Mode == ikigai.ToolChoiceNone:
		return a.report(ctx, &ikigai.Error{Kind: ikigai.ErrorIncomplete,
			What: "The model called tools although tool_choice is none",
			Do:   "Set tool_choice to auto, or choose a model that follows it"})
	case r.empty() && r.stop == ikigai.StopLength:
		return a.report(ctx, &ikigai.Error{Kind: ikigai.ErrorIncomplete,
			What: "The limit of the output was reached before there was an answer",
			Do:   "Raise max_output_tokens, or choose another model"})
	case r.empty():
		return a.report(ctx, &ikigai.Error{Kind: ikigai.ErrorIncomplete,
			What: "The model answered with nothing",
			Do:   "Ask again with `ikigai run --continue`, or choose another model"})
	}
	return nil
}

// fail records a request that gave no whole reply: what came of it, which the
// person may have seen, and why it ended.
func (a *Agent) fail(ctx context.Context, r *reply, err error) error {
	reason := ""
	switch {
	case ctx.Err() != nil:
		err = cancelled(ctx)
		reason = "cancelled"
	default:
		reason = err.Error()
	}
	a.breakOff(r, reason)
	return a.report(ctx, err)
}

// breakOff records what came of a reply that did not come to its end.
func (a *Agent) breakOff(r *reply, reason string) {
	if r.text.Len()+r.thinking.Len() > 0 {
		a.Recorder.Queue(ikigai.NewEvent(ikigai.KindInterrupted, r.text.String(),
			ikigai.InterruptedData{Reason: reason, Thinking: r.thinking.String()}))
	}
	if r.usage != nil {
		a.Recorder.Queue(r.usageEvent(a))
	}
}

// report records err, the last that is to be said of a statement, and returns it
// as an *ikigai.Error.
func (a *Agent) report(ctx context.Context, err error) error {
	a.settle(ctx) // what the tools changed stands before it
	var e *ikigai.Error
	if !errors.As(err, &e) {
		e = &ikigai.Error{Kind: ikigai.ErrorInternal, What: "The request broke off: " + err.Error(),
			Do: "Ask again with `ikigai run --continue`", Err: err}
	}
	event := ikigai.NewEvent(ikigai.KindError, e.Error(), ikigai.ErrorData{Kind: e.Kind, Status: e.Status})
	if _, err := a.Recorder.Record(ctx, event); err != nil {
		return closed(err)
	}
	return e
}

func cancelled(ctx context.Context) error {
	return &ikigai.Error{Kind: ikigai.ErrorCancelled, What: "The turn was stopped",
		Do: "Go on with `ikigai run --continue`", Err: context.Cause(ctx)}
}

func closed(err error) error {
	return &ikigai.Error{Kind: ikigai.ErrorStore, What: "The session takes no more events: " + err.Error(),
		Do: "Start again with `ikigai run --continue`", Err: err}
}
