package storetest

import (
	"encoding/json"
	"errors"
	"testing"

	"ikigai"
)

// A session as a person would have it comes back as it was, from this store
// and from one opened afterwards.
func roundTrip(t *testing.T, b *bench) { // S2.9 S2.10 S2.19 S2.24
	g, events := b.begin()
	add := func(kind ikigai.Kind, content string, data any) {
		events = append(events, Event(g.Session, ikigai.Seq(len(events)+1), kind, content, data))
	}
	add(ikigai.KindSystem, "You help.", nil)
	add(ikigai.KindUser, "What is here?", nil)
	add(ikigai.KindRequest, "", ikigai.RequestData{Model: "vendor/model", Size: 900, SHA256: "ab"})
	add(ikigai.KindToolCall, `bash(command="ls")`, ikigai.ToolCallData{
		ID: "call_1", Type: "function",
		// The bytes of the arguments are the vendor's, however odd.
		Function: ikigai.ToolCallFunction{Name: "bash", Arguments: "{\"command\" :\t\"ls <&> \\u00e9\\n\",\"n\":1e2,\"n\":9007199254740993"},
	})
	add(ikigai.KindToolResult, "2 files", ikigai.ToolResultData{
		ToolCallID: "call_1", Name: "bash", Output: `{"output":"a\nb\n","exit_code":0}`, Success: true,
	})
	add(ikigai.KindUsage, "", ikigai.UsageData{Model: "vendor/model", Usage: ikigai.Usage{Input: 1 << 60}})
	add(ikigai.KindAssistant, "Two files: a and b.", nil)
	add("a kind of a later version", "", map[string]int{"x": 1})
	events[len(events)-1].Interaction = "title"

	b.append(g, 1, events[1:3]...)
	b.append(g, 3, events[3])
	b.append(g, 4, events[4:]...)
	b.want(b.Store, g.Session, events)
	b.want(b.another(), g.Session, events)
	if err := b.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	b.want(b.another(), g.Session, events)
}

func orderBySeq(_ *testing.T, b *bench) { // P13
	g, events := b.begin()
	for seq := ikigai.Seq(2); seq <= 20; seq++ {
		e := Statement(g.Session, seq, "a clock that runs backwards")
		e.Time = events[0].Time - ikigai.Micros(seq)*1_000_000
		b.append(g, seq-1, e)
		events = append(events, e)
	}
	b.want(b.another(), g.Session, events)
}

// A call and its result are an event each, written on their own: a result that
// cannot be written leaves the call.
func callAndResultApart(t *testing.T, b *bench) { // S2.21 S2.22
	g, events := b.begin()
	call := Event(g.Session, 2, ikigai.KindToolCall, "f()", ikigai.ToolCallData{ID: "1", Type: "function"})
	result := Event(g.Session, 3, ikigai.KindToolResult, "done", ikigai.ToolResultData{ToolCallID: "1"})
	b.append(g, 1, call)
	broken := result
	broken.Content = "\xff"
	if err := b.Append(b.Context(), g, 2, broken); err == nil {
		t.Fatal("an event that is not UTF-8 was stored")
	}
	b.want(b.another(), g.Session, append(events, call))
	b.append(g, 2, result)
	b.want(b.another(), g.Session, append(events, call, result))
}

func allOrNothing(t *testing.T, b *bench) {
	g, events := b.begin()
	batch := statements(g.Session, 1, 3)
	batch[0].Blobs = []ikigai.Blob{Blob([]byte("goes with the event"))}
	batch[2].Data = json.RawMessage(`{"a":`)
	if err := b.Append(b.Context(), g, 1, batch...); err == nil {
		t.Fatal("data that is no JSON was stored")
	}
	b.want(b.another(), g.Session, events)
	if _, err := b.Blob(b.Context(), batch[0].Blobs[0].Hash); !errors.Is(err, ikigai.ErrNotFound) {
		t.Errorf("blob of an append that failed: %v", err)
	}
}

// What a store cannot give back byte for byte, or what is not at its place,
// it refuses, and it goes on working.
func refusedEvents(t *testing.T, b *bench) {
	g, events := b.begin()
	for name, spoil := range map[string]func(*ikigai.Event){
		"content not UTF-8":          func(e *ikigai.Event) { e.Content = "a\xc3" },
		"content with a surrogate":   func(e *ikigai.Event) { e.Content = "\xed\xa0\x80" },
		"content with NUL":           func(e *ikigai.Event) { e.Content = "a\x00b" },
		"data not UTF-8":             func(e *ikigai.Event) { e.Data = json.RawMessage("{\"a\":\"\xff\"}") },
		"data with NUL":              func(e *ikigai.Event) { e.Data = json.RawMessage("{\"a\":\"\x00\"}") },
		"data no JSON":               func(e *ikigai.Event) { e.Data = json.RawMessage("{a}") },
		"data empty":                 func(e *ikigai.Event) { e.Data = json.RawMessage("") },
		"data with half a character": func(e *ikigai.Event) { e.Data = json.RawMessage(`{"a":"\ud800"}`) },
		"data with NUL, escaped":     func(e *ikigai.Event) { e.Data = json.RawMessage(`{"a":"\u0000"}`) },
		"kind not UTF-8":             func(e *ikigai.Event) { e.Kind = "\xff" },
		"no kind":                    func(e *ikigai.Event) { e.Kind = "" },
		"no interaction":             func(e *ikigai.Event) { e.Interaction = "" },
		"interaction with NUL":       func(e *ikigai.Event) { e.Interaction = "\x00" },
		"no ID":                      func(e *ikigai.Event) { e.ID = "" },
		"another session's":          func(e *ikigai.Event) { e.Session = NewID() },
		"at another place":           func(e *ikigai.Event) { e.Seq++ },
		"a blob under another hash":  func(e *ikigai.Event) { e.Blobs = []ikigai.Blob{{Hash: "00", Bytes: []byte("a")}} },
	} {
		e := Statement(g.Session, 2, "fine")
		spoil(&e)
		if err := b.Append(b.Context(), g, 1, e); err == nil {
			t.Errorf("%s: stored", name)
		}
	}
	other, _ := b.acquire(NewID())
	if err := b.Append(b.Context(), other, 0, Statement(other.Session, 1, "no session event")); err == nil {
		t.Error("a session that does not begin with a session event was stored")
	}
	b.want(b.Store, g.Session, events)
	fine := Statement(g.Session, 2, "fine")
	b.append(g, 1, fine)
	b.append(g, 2) // nothing
	b.want(b.Store, g.Session, append(events, fine))
}

func repeatedAppend(t *testing.T, b *bench) {
	g, release := b.acquire(NewID())
	events := append([]ikigai.Event{Session(g.Session, "/src")}, statements(g.Session, 1, 2)...)
	events[1].Blobs = []ikigai.Blob{Blob([]byte("once"))}
	for range 3 {
		b.append(g, 0, events...)
	}
	b.append(g, 2, events[2])
	b.append(g, 0, events[0])
	b.want(b.another(), g.Session, events)
	if info := b.only(ikigai.SessionQuery{}); info.Statements != 2 || info.Events != 3 {
		t.Errorf("after repeated appends: %d statements, %d events", info.Statements, info.Events)
	}

	// What is there stays stored when the right to append has passed on.
	release()
	b.acquire(g.Session)
	b.append(g, 1, events[1:]...)
	b.want(b.another(), g.Session, events)
}

func repeatedPrefix(t *testing.T, b *bench) {
	g, events := b.begin()
	batch := statements(g.Session, 1, 4)
	b.append(g, 1, batch[:2]...)
	b.append(g, 1, batch...)
	b.want(b.another(), g.Session, append(events, batch...))
	if info := b.only(ikigai.SessionQuery{}); info.Statements != 4 {
		t.Errorf("%d statements, want 4", info.Statements)
	}
}

func conflicts(t *testing.T, b *bench) {
	g, events := b.begin()
	batch := statements(g.Session, 1, 3)
	b.append(g, 1, batch...)
	events = append(events, batch...)
	wrong := append(append([]ikigai.Event{}, batch[:2]...), Statement(g.Session, 4, "another"), Statement(g.Session, 5, "new"))
	for name, try := range map[string]struct {
		after  ikigai.Seq
		events []ikigai.Event
	}{
		"other events":               {1, statements(g.Session, 1, 3)},
		"others behind a prefix":     {1, wrong},
		"one in the past":            {2, statements(g.Session, 2, 1)},
		"a gap":                      {5, statements(g.Session, 5, 1)},
		"a second first":             {0, []ikigai.Event{Session(g.Session, "/other")}},
		"another first, then events": {0, append([]ikigai.Event{Session(g.Session, "/other")}, batch...)},
	} {
		if err := b.Append(b.Context(), g, try.after, try.events...); !errors.Is(err, ikigai.ErrConflict) {
			t.Errorf("%s: %v, want ErrConflict", name, err)
		}
	}
	unknown := ikigai.Grant{Session: NewID(), Fence: 1}
	if err := b.Append(b.Context(), unknown, 3, statements(unknown.Session, 3, 1)...); !errors.Is(err, ikigai.ErrConflict) {
		t.Errorf("a session that is not there: %v, want ErrConflict", err)
	}
	b.want(b.another(), g.Session, events)
}

func oldFence(t *testing.T, b *bench) { // P8
	first, release := b.acquire(NewID())
	events := []ikigai.Event{Session(first.Session, "/src")}
	b.append(first, 0, events[0])
	release()
	second, _ := b.acquire(first.Session)
	if second.Fence <= first.Fence {
		t.Fatalf("fence %d after %d", second.Fence, first.Fence)
	}
	late := Statement(first.Session, 2, "from the holder before")
	if err := b.Append(b.Context(), first, 1, late); !errors.Is(err, ikigai.ErrFenced) {
		t.Errorf("the old holder, nothing appended since: %v, want ErrFenced", err)
	}
	now := Statement(first.Session, 2, "from the holder now")
	b.append(second, 1, now)
	if err := b.Append(b.Context(), first, 1, late); !errors.Is(err, ikigai.ErrFenced) {
		t.Errorf("the old holder, something appended since: %v, want ErrFenced", err)
	}
	b.want(b.another(), first.Session, append(events, now))
}

func eventsAfter(t *testing.T, b *bench) {
	g, _ := b.begin()
	b.append(g, 1, statements(g.Session, 1, 9)...)
	for after := ikigai.Seq(0); after <= 11; after++ {
		next := after
		for e, err := range b.Events(b.Context(), g.Session, after) {
			if err != nil {
				t.Fatal(err)
			}
			if next++; e.Seq != next {
				t.Fatalf("event %d after %d, want %d", e.Seq, after, next)
			}
		}
		if want := max(after, 10); next != want {
			t.Errorf("last event after %d is %d, want %d", after, next, want)
		}
	}
	b.want(b.Store, NewID(), nil)
}

// A consumer may use the store, and may stop, while it iterates.
func useWithinIteration(t *testing.T, b *bench) {
	g, events := b.begin()
	events = append(events, statements(g.Session, 1, 20)...)
	events[5].Blobs = []ikigai.Blob{Blob([]byte("looked up on the way"))}
	b.append(g, 1, events[1:]...)
	for range 30 { // more often than there can be connections
		for e, err := range b.Events(b.Context(), g.Session, 0) {
			if err != nil {
				t.Fatal(err)
			}
			if e.Seq == 7 {
				break
			}
		}
	}
	depth := 0
	var nest func()
	nest = func() {
		for _, err := range b.Events(b.Context(), g.Session, 0) {
			if err != nil {
				t.Fatal(err)
			}
			if depth++; depth < 20 {
				nest()
			}
			if _, err := b.Blob(b.Context(), events[5].Blobs[0].Hash); err != nil {
				t.Fatal(err)
			}
			break
		}
	}
	nest()
	n := ikigai.Seq(len(events))
	for e, err := range b.Events(b.Context(), g.Session, 0) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Seq <= 3 {
			b.append(g, n, Statement(g.Session, n+1, "from within"))
			n++
		}
	}
	if info := b.only(ikigai.SessionQuery{}); info.Events != n {
		t.Errorf("%d events, want %d", info.Events, n)
	}
}
