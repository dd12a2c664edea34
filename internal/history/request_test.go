package history

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ikigai"
)

// recorder keeps a session as a store does, and what was sent in it.
type recorder struct {
	t      testing.TB
	line   *Line
	events []ikigai.Event
	blobs  map[string][]byte
	sent   map[ikigai.Seq][]byte // bodies, by the event that records them
	model  string
}

func newRecorder(t testing.TB) *recorder {
	r := &recorder{t: t, blobs: map[string][]byte{}, sent: map[ikigai.Seq][]byte{}, model: "acme/one"}
	r.resume()
	return r
}

func (r *recorder) add(events ...ikigai.Event) {
	for _, e := range events {
		e.Seq = ikigai.Seq(len(r.events) + 1)
		r.line.Add(e)
		for _, b := range e.Blobs {
			if sum := sha256.Sum256(b.Bytes); hex.EncodeToString(sum[:]) != b.Hash {
				r.t.Fatalf("event %d: a blob without its hash", e.Seq)
			}
			r.blobs[b.Hash] = b.Bytes
		}
		e.Blobs = nil
		r.events = append(r.events, e)
	}
}

// resume goes on in another process.
func (r *recorder) resume() {
	r.line = New(ikigai.Main)
	r.line.SetBlobs(func(hash string) ([]byte, error) { return r.Blob(context.Background(), hash) })
	for _, e := range r.events {
		r.line.Add(e)
	}
}

// ask sends a request and returns the data of its event.
func (r *recorder) ask(choice ikigai.ToolChoice) ikigai.RequestData {
	r.t.Helper()
	req := loaded(r.line)
	req.ToolChoice = choice
	sent := encode(r.model, req)
	e := r.line.Sent(r.model, choice, sent)
	r.add(e)
	last := r.events[len(r.events)-1]
	r.sent[last.Seq] = slices.Concat(slices.Concat(sent.Head...), slices.Concat(sent.Conversation...))
	var d ikigai.RequestData
	if err := last.DecodeData(&d); err != nil {
		r.t.Fatal(err)
	}
	return d
}

func (r *recorder) all(yield func(ikigai.Event, error) bool) {
	for _, e := range r.events {
		if !yield(e, nil) {
			return
		}
	}
}

// Blob implements ikigai.Blobs.
func (r *recorder) Blob(_ context.Context, hash string) ([]byte, error) {
	if b, ok := r.blobs[hash]; ok {
		return b, nil
	}
	return nil, ikigai.ErrNotFound
}

// check rebuilds all that was sent.
func (r *recorder) check() {
	r.t.Helper()
	for seq, want := range r.sent {
		got, err := Rebuild(context.Background(), r.all, r, seq)
		if err != nil || !bytes.Equal(got, want) {
			r.t.Fatalf("request %d: %v\n%s\nwas sent, rebuilt is\n%s", seq, err, want, got)
		}
	}
}

// encode is a vendor's package: it writes messages one after the other, in
// pieces, and says what the memo has seen before.
func encode(model string, req ikigai.Request) ikigai.Sent {
	tools, _ := json.Marshal(req.Tools)
	sent := ikigai.Sent{Head: [][]byte{fmt.Appendf(nil, `{"model":%q,"choice":%q,"tools":%s,"messages":[`, model, req.ToolChoice, tools)}, Closing: 2}
	messages := req.Messages
	if len(messages) > 1 && messages[0].Kind == ikigai.KindSystem {
		sent.Head = append(sent.Head, append(encodeMessage(messages[0]), ','))
		messages = messages[1:]
	}
	for i, m := range messages {
		b := encodeMessage(m)
		if i < len(messages)-1 {
			b = append(b, ',')
		}
		sent.Conversation = append(sent.Conversation, b)
	}
	sent.Conversation = append(sent.Conversation, []byte("]}"))
	conversation := slices.Concat(sent.Conversation...)
	before, _ := req.Memo.Encoded.([]byte)
	for int(sent.Kept) < min(len(before), len(conversation)) && before[sent.Kept] == conversation[sent.Kept] {
		sent.Kept++
	}
	req.Memo.Encoded = conversation
	body := append(slices.Concat(sent.Head...), conversation...)
	sent.Size, sent.SHA256 = int64(len(body)), sha256.Sum256(body)
	return sent
}

func encodeMessage(m ikigai.Message) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	switch m.Kind {
	case ikigai.KindToolCall:
		_ = enc.Encode(map[string]any{"role": "assistant", "id": m.Call.ID, "arguments": m.Call.Arguments})
	case ikigai.KindToolResult:
		_ = enc.Encode(map[string]any{"role": "tool", "id": m.Result.CallID, "content": m.Result.Output})
	default:
		encoded := map[string]any{"role": m.Kind, "content": m.Content}
		for _, p := range m.Parts {
			encoded[p.Name] = p.Bytes
		}
		_ = enc.Encode(encoded)
	}
	return bytes.TrimSpace(b.Bytes())
}

// turns returns n rounds, each of a call and its result of about size bytes.
func turns(n, size int) (events []ikigai.Event) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		id := fmt.Sprintf("call_%d", i)
		var output strings.Builder
		for output.Len() < size {
			fmt.Fprintf(&output, "%d: result of %x\n", i, r.Uint64())
		}
		events = append(events, call(id, fmt.Sprintf(`{"command":"make test-%d 2>&1 | tail -30"}`, i)), result(id, output.String()))
	}
	return events
}

var (
	auto = ikigai.ToolChoice{}
	none = ikigai.ToolChoice{Mode: ikigai.ToolChoiceNone}
)

func tools(name string) ikigai.Event {
	return ikigai.NewEvent(ikigai.KindTools, name, ikigai.ToolsData{Tools: []ikigai.ToolSpec{{Name: name}}})
}

func rewind(to int) ikigai.Event {
	return ikigai.NewEvent(ikigai.KindRewind, "", ikigai.RewindData{To: ikigai.Seq(to)})
}

// Whatever happens between two requests, the second is recorded as what it adds
// to the one whose conversation it goes on with.
func TestRequestsGoOn(t *testing.T) {
	begin := func(t *testing.T) *recorder {
		r := newRecorder(t)
		r.add(system("You help."), tools("bash"), user("Begin."))
		for i := range 20 {
			r.ask(auto)
			r.add(turns(20, 900)[2*i : 2*i+2]...)
		}
		return r
	}
	for _, test := range []struct {
		name     string
		happens  func(r *recorder) ikigai.ToolChoice
		previous ikigai.Seq // requests are the events 4, 7 … 61
		head     bool       // a piece of the head is new
	}{
		{"nothing", func(r *recorder) ikigai.ToolChoice { return auto }, 61, false},
		{"the tools are switched off", func(r *recorder) ikigai.ToolChoice { return none }, 61, true},
		{"another process", func(r *recorder) ikigai.ToolChoice { r.resume(); return auto }, 61, false},
		{"another process without tools", func(r *recorder) ikigai.ToolChoice { r.resume(); return none }, 61, true},
		{"other tools", func(r *recorder) ikigai.ToolChoice { r.add(tools("glob")); return auto }, 61, true},
		{"another process with other tools", func(r *recorder) ikigai.ToolChoice { r.resume(); r.add(tools("glob")); return auto }, 61, true},
		{"another system prompt", func(r *recorder) ikigai.ToolChoice { r.add(system("You do not help.")); return auto }, 61, true},
		{"a rewind", func(r *recorder) ikigai.ToolChoice { r.add(rewind(33), user("Otherwise.")); return auto }, 34, false},
		{"a rewind, then another process", func(r *recorder) ikigai.ToolChoice { r.add(rewind(33), user("Otherwise.")); r.resume(); return auto }, 34, false},
		{"a rewind into a round", func(r *recorder) ikigai.ToolChoice { r.add(rewind(32)); return auto }, 31, false},
		{"a rewind undone", func(r *recorder) ikigai.ToolChoice {
			r.add(rewind(33), user("Otherwise."))
			r.ask(auto)
			r.add(rewind(63))
			return auto
		}, 61, false},
		{"a clear", func(r *recorder) ikigai.ToolChoice {
			r.add(ikigai.NewEvent(ikigai.KindClear, "", nil), user("Anew."))
			return auto
		}, 0, false},
		{"a clear undone", func(r *recorder) ikigai.ToolChoice {
			r.add(ikigai.NewEvent(ikigai.KindClear, "", nil), user("Anew."))
			r.ask(auto)
			r.add(rewind(63))
			return auto
		}, 61, false},
		{"a fork", func(r *recorder) ikigai.ToolChoice {
			r.events = r.events[:31]
			for seq := range r.sent {
				if seq > 31 {
					delete(r.sent, seq)
				}
			}
			r.resume()
			r.add(ikigai.NewEvent(ikigai.KindFork, "", ikigai.ForkData{Session: "a", Seq: 31}), user("Otherwise."))
			return auto
		}, 31, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := begin(t)
			choice := test.happens(r)
			blobs := len(r.blobs)
			d := r.ask(choice)
			if d.Previous != test.previous {
				t.Errorf("goes on with %d, want %d", d.Previous, test.previous)
			}
			if n := len(d.Tail); n > 600 || d.TailBlob != "" {
				t.Errorf("a tail of %d bytes, blob %q", n, d.TailBlob)
			}
			if len(r.blobs) > blobs != test.head {
				t.Errorf("%d blobs more, of heads %q", len(r.blobs)-blobs, d.Head)
			}
			r.check()
			r.resume()
			r.add(user("More."))
			if d := r.ask(auto); d.Kept == 0 {
				t.Error("the next request keeps nothing")
			}
			r.check()
		})
	}
}

// old is a request as the oldest version recorded it.
var old = ikigai.NewEvent(ikigai.KindRequest, "", ikigai.RequestData{Model: "m", Size: 10, SHA256: "ab", Kept: 3})

// A conversation that goes on with none that is known, such as one that another
// vendor is sent in another form, is recorded whole, once.
func TestNothingToGoOnWith(t *testing.T) {
	r := newRecorder(t)
	r.add(user("Begin."))
	r.add(turns(200, 900)...)
	r.add(old, user("Go on."))
	if d := r.ask(auto); d.TailBlob == "" || d.Kept != 0 {
		t.Errorf("kept %d, blob %q", d.Kept, d.TailBlob)
	}
	r.add(assistant("Done."), user("Go on."))
	if d := r.ask(auto); d.TailBlob != "" || d.Previous == 0 {
		t.Errorf("%+v", d)
	}
	r.check()
}

// A large result is in the log once.
func TestLargeResult(t *testing.T) {
	r := newRecorder(t)
	r.add(user("Begin."))
	r.ask(auto)
	r.add(turns(1, 1<<20)...)
	if d := r.ask(auto); len(d.Tail) > 400 || d.TailBlob != "" {
		t.Errorf("a tail of %d bytes, blob %q", len(d.Tail), d.TailBlob)
	}
	r.check()
}

// Other interactions have requests of their own.
func TestRebuildOfASideInteraction(t *testing.T) {
	r := newRecorder(t)
	side := New("title")
	r.add(user("Begin."))
	r.ask(auto)
	question := user("What is the title?")
	question.Interaction, question.Seq = "title", 3
	side.Add(question)
	r.add(question)
	sent := encode("acme/small", side.Request())
	r.add(side.Sent("acme/small", auto, sent))
	r.sent[4] = append(slices.Concat(sent.Head...), slices.Concat(sent.Conversation...)...)
	r.add(assistant("Done."), user("Go on."))
	if d := r.ask(auto); d.Previous != 2 {
		t.Errorf("goes on with %d", d.Previous)
	}
	r.check()
}

func TestRebuildRefuses(t *testing.T) {
	r := newRecorder(t)
	r.add(user("Begin."), old)
	r.ask(auto)
	r.add(turns(1, 10000)...)
	r.add(user("More."))
	r.ask(auto)
	damage := func(seq ikigai.Seq, change func(d *ikigai.RequestData)) iter.Seq2[ikigai.Event, error] {
		return func(yield func(ikigai.Event, error) bool) {
			for _, e := range r.events {
				if e.Seq == seq {
					var d ikigai.RequestData
					_ = e.DecodeData(&d)
					change(&d)
					e.Data = ikigai.NewEvent(e.Kind, "", d).Data
				}
				if !yield(e, nil) {
					return
				}
			}
		}
	}
	broken := errors.New("the disk is gone")
	tests := []struct {
		name   string
		events iter.Seq2[ikigai.Event, error]
		seq    ikigai.Seq
		kind   ikigai.ErrorKind
		want   string
	}{
		{"the oldest version", r.all, 2, ikigai.ErrorUsage, "kept only its length, 10 bytes, and its SHA-256, ab"},
		{"no request", r.all, 1, ikigai.ErrorUsage, "is no request but of kind user"},
		{"no event", r.all, 99, ikigai.ErrorUsage, "There is no event 99"},
		{"the store fails", func(yield func(ikigai.Event, error) bool) { yield(ikigai.Event{}, broken) }, 3, ikigai.ErrorStore, "the disk is gone"},
		{"another hash", damage(7, func(d *ikigai.RequestData) { d.SHA256 = strings.Repeat("0", 64) }), 7, ikigai.ErrorStore, "do not have its SHA-256"},
		{"another tail before", damage(3, func(d *ikigai.RequestData) { d.Tail = []byte{9} }), 7, ikigai.ErrorStore, "event 3: the difference"},
		{"more kept than there is", damage(7, func(d *ikigai.RequestData) { d.Kept = 1 << 40 }), 7, ikigai.ErrorStore, "keeps 1099511627776 bytes"},
		{"less than nothing kept", damage(7, func(d *ikigai.RequestData) { d.Kept = -1 }), 7, ikigai.ErrorStore, "keeps -1 bytes"},
		{"goes on with itself", damage(7, func(d *ikigai.RequestData) { d.Previous = 7 }), 7, ikigai.ErrorStore, "no earlier request"},
		{"goes on with no request", damage(7, func(d *ikigai.RequestData) { d.Previous = 4 }), 7, ikigai.ErrorStore, "no earlier request"},
		{"a blob is lost", damage(7, func(d *ikigai.RequestData) { d.Head[0] = strings.Repeat("1", 64) }), 7, ikigai.ErrorStore, "blob 1111"},
		{"a tail is lost", damage(7, func(d *ikigai.RequestData) { d.TailBlob = strings.Repeat("2", 64) }), 7, ikigai.ErrorStore, "blob 2222"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			body, err := Rebuild(t.Context(), test.events, r, test.seq)
			var e *ikigai.Error
			if !errors.As(err, &e) || e.Kind != test.kind || !strings.Contains(e.What, test.want) || e.Do == "" || body != nil {
				t.Errorf("got %v, %q", err, body)
			}
		})
	}
	if _, err := Rebuild(t.Context(), func(yield func(ikigai.Event, error) bool) { yield(ikigai.Event{}, broken) }, r, 3); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	r.check()
}

// What waits in a journal is rebuilt with the blobs that come with it.
func TestRebuildWithBlobsOfEvents(t *testing.T) {
	r := newRecorder(t)
	r.add(system("s"), user("Begin."))
	r.add(turns(100, 900)...)
	r.add(old)
	sent := encode(r.model, r.line.Request())
	e := r.line.Sent(r.model, auto, sent)
	if len(e.Blobs) != 3 {
		t.Fatalf("%d blobs", len(e.Blobs))
	}
	e.Seq = ikigai.Seq(len(r.events) + 1)
	events := append(slices.Clone(r.events), e)
	body, err := Rebuild(t.Context(), func(yield func(ikigai.Event, error) bool) {
		for _, e := range events {
			if !yield(e, nil) {
				return
			}
		}
	}, newRecorder(t), e.Seq)
	if err != nil || int64(len(body)) != sent.Size {
		t.Errorf("%d bytes, %v", len(body), err)
	}
}

// FuzzRebuild holds that whatever happens in a session, each request that was
// sent in it can be rebuilt, byte for byte. S5.6, P13
func FuzzRebuild(f *testing.F) {
	f.Add([]byte("suqacrqacrqzqu q"))
	f.Add([]byte("Tuqcqccqrqrqwqukqfqw1q"))
	f.Add([]byte("suqacrqxquqw00qTqNqzuqM0qMacrq"))
	f.Fuzz(func(t *testing.T, script []byte) {
		r, events := newRecorder(t), scriptReader{text: "a text that occurs again and again, "}
		for _, c := range script[:min(len(script), 80)] {
			switch c {
			case 'q':
				r.ask(auto)
			case 'N':
				r.ask(none)
			case 'M':
				r.model = map[string]string{"acme/one": "acme/two", "acme/two": "acme/one"}[r.model]
			case 'z':
				r.resume()
			default:
				if e, ok := events.event(c, ikigai.Seq(len(r.events)+1)); ok {
					r.add(e)
				}
			}
		}
		r.check()
	})
}

// BenchmarkSent records the request of a normal turn of a session of n turns of
// 2 KB, and the first one after a resume.
func BenchmarkSent(b *testing.B) {
	for _, n := range []int{10, 1000} {
		r := newRecorder(b)
		r.add(system("You help."), user("Begin."))
		for i, rounds := 0, turns(n, 2000); i < n; i++ {
			r.ask(auto)
			r.add(rounds[2*i : 2*i+2]...)
		}
		bench := func(name string, sent ikigai.Sent) {
			before := r.line.requests
			b.Run(fmt.Sprintf("%s=%d", name, n), func(b *testing.B) {
				b.ReportAllocs()
				size := 0
				for b.Loop() {
					r.line.requests = before
					if before.sum != nil {
						r.line.requests.sum, _ = before.sum.(hash.Cloner).Clone()
					}
					size = len(r.line.Sent(r.model, auto, sent).Data)
				}
				b.ReportMetric(float64(size), "bytes")
			})
		}
		bench("turn", encode(r.model, r.line.Request()))
		r.resume()
		bench("resumed", encode(r.model, r.line.Request()))
	}
}

// BenchmarkRebuild rebuilds the last request of a session of 1,000 turns.
func BenchmarkRebuild(b *testing.B) {
	r := newRecorder(b)
	r.add(user("Begin."))
	for i, rounds := 0, turns(1000, 2000); i < 1000; i++ {
		r.ask(auto)
		r.add(rounds[2*i : 2*i+2]...)
	}
	r.ask(auto)
	for b.Loop() {
		if _, err := Rebuild(b.Context(), r.all, r, ikigai.Seq(len(r.events))); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFold is the part of a restore that is the Line's: 1,000 turns.
func BenchmarkFold(b *testing.B) {
	r := newRecorder(b)
	r.add(user("Begin."))
	for i, rounds := 0, turns(1000, 2000); i < 1000; i++ {
		r.ask(auto)
		r.add(rounds[2*i : 2*i+2]...)
	}
	b.ReportAllocs()
	for b.Loop() {
		r.resume()
	}
}
