package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/google/uuid"

	"ikigai"
)

func newID() ikigai.ID { return ikigai.ID(uuid.Must(uuid.NewV7()).String()) }

// place gives e its place in a session.
func place(e ikigai.Event, session ikigai.ID, seq ikigai.Seq) ikigai.Event {
	e.Session, e.Seq, e.ID, e.Time = session, seq, newID(), ikigai.Micros(1_700_000_000_000_000+int64(seq))
	return e
}

// result is an event of about 1 KB.
func result(session ikigai.ID, seq ikigai.Seq) ikigai.Event {
	return place(ikigai.NewEvent(ikigai.KindToolResult, strings.Repeat("content ", 50), ikigai.ToolResultData{
		ToolCallID: "call_1", Name: "bash", Output: strings.Repeat("output ", 80), Success: true}), session, seq)
}

// begin begins a session of a store.
func begin(ctx context.Context, s ikigai.Store, dir string) (g ikigai.Grant, release func()) {
	g, giveBack, err := s.Acquire(ctx, newID())
	check(err)
	check(s.Append(ctx, g, 0, first(g.Session, dir)))
	return g, func() { check(giveBack()) }
}

func first(session ikigai.ID, dir string) ikigai.Event {
	return place(ikigai.NewEvent(ikigai.KindSession, dir, ikigai.SessionData{Dir: dir, Model: "v/m", Version: "1"}), session, 1)
}

// conversation returns n events of a session as work leaves them: a statement,
// then rounds of a call and its result. Words are drawn so that some are common
// and most are rare.
func conversation(session ikigai.ID, dir string, n int, words *rand.Rand) []ikigai.Event {
	all := []ikigai.Event{first(session, dir)}
	for len(all) < n {
		seq := ikigai.Seq(len(all) + 1)
		id := fmt.Sprintf("call_%d", seq/2)
		switch {
		case seq%50 == 2:
			all = append(all, place(ikigai.NewEvent(ikigai.KindUser, prose(words, 20), nil), session, seq))
		case seq%2 == 1:
			args := fmt.Sprintf(`{"command":"grep -rn %s ."}`, prose(words, 1))
			m := ikigai.Message{Kind: ikigai.KindToolCall, Content: "bash(command=…)", Call: &ikigai.ToolCall{ID: id, Name: "bash", Arguments: args}}
			all = append(all, place(m.Event(), session, seq))
		default:
			m := ikigai.Message{Kind: ikigai.KindToolResult, Content: "exit code 0",
				Result: &ikigai.ToolResult{CallID: id, Name: "bash", Output: `{"output":"` + prose(words, 60) + `","exit_code":0}`, Success: true}}
			all = append(all, place(m.Event(), session, seq))
		}
	}
	return all
}

// prose returns n words, word k of 50,000 about as often as Zipf's law has it.
func prose(r *rand.Rand, n int) string {
	zipf := rand.NewZipf(r, 1.2, 4, 50_000)
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("word%d", zipf.Uint64())
	}
	return strings.Join(all, " ")
}
