// Package replay runs a recorded session again: the real loop, with what the
// person said as its input and the recorded replies in the model's place, and
// compares what comes out of it with the recording.
//
// Each interaction is played by itself. Whatever the loop makes anew is compared
// with its recorded event and then takes that event's place, so that one
// difference does not make others.
package replay

import (
	"context"
	"fmt"
	"slices"

	"ikigai"
	"ikigai/internal/agent"
)

// Config says what is replayed, and with what.
type Config struct {
	Events []ikigai.Event // of the session, from the first on
	Blobs  ikigai.Blobs

	// Encoder returns a model that writes requests, tells Sending of them and
	// sends nothing. The error says why there is none; requests to that model are
	// then not compared.
	Encoder func(model string) (ikigai.Model, error)

	// Prepare, which may be nil, sets what a recording does not tell of an agent:
	// what the settings say.
	Prepare func(*agent.Agent, Interaction)

	// Tools, where they are not nil, are run. Otherwise calls get their recorded
	// results, as calls of those that Recorded names always do.
	Tools    []ikigai.Tool
	Recorded []string
	Dir      string       // that Tools run in
	Views    []Projection // of the main interaction, for Tools
}

// Interaction is what is known of an interaction.
type Interaction struct {
	Name   string
	What   string                 // what it is for, in words
	Data   ikigai.InteractionData // of a side interaction
	System string                 // its system prompt
}

// Projection takes in the events of an interaction, in order.
type Projection interface{ Add(ikigai.Event) }

// Report is what came of a replay.
type Report struct {
	Statements  int          `json:"statements"`
	Requests    int          `json:"requests"` // that were compared
	Results     int          `json:"results"`
	Files       int          `json:"files"` // that were compared
	Differences []Difference `json:"differences"`
	Unknown     []Unknown    `json:"not_compared,omitempty"`
}

// Unknown is requests that could not be compared.
type Unknown struct {
	Requests int    `json:"requests"`
	Reason   string `json:"reason"`
}

// Difference is something that came out otherwise than it was recorded.
type Difference struct {
	Statement   int        `json:"statement"`             // of the session, from 1; 0 before the first
	Interaction string     `json:"interaction,omitempty"` // "" for the main one
	Turn        int        `json:"turn"`                  // requests of the statement so far
	Event       ikigai.Seq `json:"event"`                 // the recorded one, or the last before
	What        string     `json:"what"`                  // request, file, log, or the kind of an event
	Place       string     `json:"place,omitempty"`       // within it, such as messages[3].content
	Was         string     `json:"was"`
	Is          string     `json:"is"`
	Again       int        `json:"again,omitempty"` // later requests with the same difference
}

// Run replays a session. The error is that of ctx, or that the recording cannot
// be replayed at all.
func Run(ctx context.Context, c Config) (Report, error) {
	r := &replay{Config: c, report: Report{Differences: []Difference{}}, numbers: map[ikigai.Seq]int{}}
	for _, e := range c.Events {
		if e.IsStatement() {
			r.report.Statements++
		}
		r.numbers[e.Seq] = r.report.Statements
	}
	r.checkOrder()
	for _, name := range interactions(c.Events) {
		if err := ctx.Err(); err != nil {
			return r.report, err
		}
		r.play(ctx, name)
	}
	slices.SortStableFunc(r.report.Differences, func(a, b Difference) int { return int(a.Event - b.Event) })
	return r.report, nil
}

// replay is a replay under way.
type replay struct {
	Config
	report  Report
	numbers map[ikigai.Seq]int // of the statement that an event belongs to
}

// checkOrder notes where the events are not numbered 1, 2, 3: some were taken out
// or put in another order.
func (r *replay) checkOrder() {
	last := ikigai.Seq(0)
	for _, e := range r.Events {
		if e.Seq != last+1 {
			r.differ(Difference{Statement: r.numbers[e.Seq], Event: e.Seq, What: "log", Place: "before this event",
				Was: fmt.Sprintf("event %d", e.Seq-1), Is: behind(last)})
		}
		last = e.Seq
	}
}

func behind(last ikigai.Seq) string {
	if last == 0 {
		return "nothing"
	}
	return fmt.Sprintf("event %d", last)
}

// interactions returns the names of all interactions, in the order in which they
// began.
func interactions(events []ikigai.Event) (names []string) {
	known := map[string]bool{}
	for _, e := range events {
		if !known[e.Interaction] {
			known[e.Interaction] = true
			names = append(names, e.Interaction)
		}
	}
	return names
}

// differ notes a difference, and returns its place in the report. What is found in
// a request is found in all that go on with it, too.
func (r *replay) differ(d Difference) int {
	if d.What == whatRequest {
		for i, before := range r.report.Differences {
			if before.What == d.What && before.Interaction == d.Interaction && before.Place == d.Place && before.Was == d.Was && before.Is == d.Is {
				r.report.Differences[i].Again++
				return i
			}
		}
	}
	r.report.Differences = append(r.report.Differences, d)
	return len(r.report.Differences) - 1
}

// unknown notes that a request was not compared.
func (r *replay) unknown(reason string) {
	i := slices.IndexFunc(r.report.Unknown, func(u Unknown) bool { return u.Reason == reason })
	if i < 0 {
		i = len(r.report.Unknown)
		r.report.Unknown = append(r.report.Unknown, Unknown{Reason: reason})
	}
	r.report.Unknown[i].Requests++
}
