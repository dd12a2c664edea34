package history

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ikigai"
	"ikigai/internal/blob"
)

func withVendor(e ikigai.Event, state string) ikigai.Event {
	m, err := e.Message()
	if err != nil {
		panic(err)
	}
	m.Vendor = ikigai.VendorState{"m/a": json.RawMessage(state), "m/b": json.RawMessage(`"b"`)}
	return m.Event()
}

func resultWithImage(id, output string) ikigai.Event {
	m, _ := result(id, output).Message()
	m.Result.Parts = []ikigai.Part{{Type: ikigai.PartImage, Name: "a.png", Blob: "x"}}
	return m.Event()
}

// summary is script, with what goes with the texts.
func summary(messages []ikigai.Message) string {
	var b strings.Builder
	for _, m := range messages {
		b.WriteString(strings.TrimSuffix(script([]ikigai.Message{m}), "\n"))
		for _, p := range partsOf(m) {
			if isMedia(p) {
				fmt.Fprintf(&b, " [%s %s]", p.Type, p.Name)
			} else {
				fmt.Fprintf(&b, " %q", p.Text)
			}
		}
		for _, model := range []string{"m/a", "m/b"} {
			if m.Vendor[model] != nil {
				fmt.Fprintf(&b, " <%s>", model)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// What a vendor refuses is left out: first what goes with the text, then the
// text; calls keep their results. P1, P3, P4
func TestQuarantine(t *testing.T) {
	show := ikigai.Message{Kind: ikigai.KindUser, Content: "look",
		Parts: []ikigai.Part{{Type: ikigai.PartImage, Name: "a.png", Blob: "x"}}}.Event()
	const outImage = `"(image a.png is left out: it was refused by the model's vendor)"`
	tests := []struct {
		name   string
		events []ikigai.Event
		n      int // the message that is refused, again and again
		want   []string
	}{
		{"an earlier statement", []ikigai.Event{show, assistant("a"), user("u")}, 1, []string{
			"user look " + outImage + "\nassistant a\nuser u\n",
			"user " + standIn + "\nassistant a\nuser u\n",
			"",
		}},
		{"the statement that is being asked", []ikigai.Event{user("u"), assistant("a"), show}, 3, []string{
			"user u\nassistant a\nuser look " + outImage + "\n",
			"",
		}},
		{"the system prompt", []ikigai.Event{system("s"), user("u")}, 1, []string{""}},
		{"an answer", []ikigai.Event{user("u"), withVendor(assistant("a"), `"a"`), user("v")}, 2, []string{
			"user u\nassistant a <m/b>\nuser v\n",
			"user u\nassistant " + standIn + "\nuser v\n",
			"",
		}},
		{"the last call of a reply, whose state is with the first", []ikigai.Event{user("u"), assistant("a"),
			withVendor(call("1", `{"x":1}`), `"a"`), call("2", `{"y":1}`), result("1", "r"), result("2", "s")}, 4, []string{
			"user u\nassistant a\ncall 1 bash {\"x\":1} <m/b>\ncall 2 bash {\"y\":1}\nresult 1 r\nresult 2 s\n",
			"user u\nassistant a\ncall 1 bash {\"x\":1}\ncall 2 bash {}\nresult 1 r\nresult 2 s\n",
			"user u\nassistant a\ncall 1 bash {}\ncall 2 bash {}\nresult 1 r\nresult 2 s\n",
			"user u\nassistant " + standIn + "\ncall 1 bash {}\ncall 2 bash {}\nresult 1 r\nresult 2 s\n",
			"",
		}},
		{"one of the results of a round", []ikigai.Event{user("u"), call("1", ""), call("2", ""), resultWithImage("1", "r"), result("2", "s")}, 5, []string{
			"user u\ncall 1 bash {}\ncall 2 bash {}\nresult 1 r " + outImage + "\nresult 2 s\n",
			"user u\ncall 1 bash {}\ncall 2 bash {}\nresult 1 r " + outImage + "\nresult 2 " + standIn + "\n",
			"user u\ncall 1 bash {}\ncall 2 bash {}\nresult 1 " + standIn + "\nresult 2 " + standIn + "\n",
			"",
		}},
		{"a result that was made up", []ikigai.Event{user("u"), call("1", ""), user("v")}, 3, []string{""}},
		{"no message of the request", []ikigai.Event{user("u")}, 2, []string{""}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			events := numbered(test.events)
			l := scratch(events)
			for i, want := range test.want {
				memo := l.Request().Memo
				e, ok := l.Quarantine(&ikigai.Error{Message: test.n, What: "No"}, "m/a")
				if !ok {
					if want != "" {
						t.Fatalf("quarantine %d: nothing is left out", i+1)
					}
					break
				}
				e.Seq = ikigai.Seq(len(events) + 1)
				events = append(events, e)
				l.Add(e)
				if diff := cmp.Diff(want, summary(l.Request().Messages)); diff != "" {
					t.Fatalf("quarantine %d (-want +got):\n%s", i+1, diff)
				}
				if l.Request().Memo == memo {
					t.Errorf("quarantine %d: the memo stays", i+1)
				}
				if diff := cmp.Diff(want, summary(scratch(events).Request().Messages)); diff != "" {
					t.Errorf("quarantine %d, after a restart (-want +got):\n%s", i+1, diff)
				}
				var d ikigai.QuarantineData
				if err := e.DecodeData(&d); err != nil || d.Model != "m/a" || d.Reason != "No" || e.Interaction != ikigai.Main ||
					!strings.HasPrefix(e.Content, fmt.Sprintf("m/a refuses the message of event %d: No. ", d.Seq)) {
					t.Errorf("quarantine %d: %s %s", i+1, e.Content, e.Data)
				}
			}
		})
	}
}

func numbered(events []ikigai.Event) []ikigai.Event {
	for i := range events {
		events[i].Seq = ikigai.Seq(i + 1)
	}
	return events
}

// Where a vendor names no message but speaks of an image, the newest ones are
// left out, one event after the other, and no words. P3
func TestQuarantineOfMedia(t *testing.T) {
	l := fold(shows("one", noise(1, 10)), withVendor(assistant("a"), `1`), shows("two", noise(2, 10)), shows("lost", noise(3, 10)),
		call("1", "{}"), call("2", "{}"), resultWithImage("1", "r"), result("2", "s"))
	l.SetBlobs(func(string) ([]byte, error) { return nil, ikigai.ErrNotFound })
	l.contents.held = map[string]content{blob.Hash(noise(1, 10)): {bytes: noise(1, 10)}, "x": {bytes: []byte("image")}}
	for _, want := range []ikigai.Seq{7, 1, 0} {
		loaded(l)
		e, ok := l.Quarantine(&ikigai.Error{What: "The document has no pages"}, "m/a")
		var d ikigai.QuarantineData
		if ok && e.DecodeData(&d) != nil || d.Seq != want || d.Whole || ok != (want > 0) {
			t.Fatalf("%v: %s", ok, e.Data)
		}
		if ok {
			e.Seq = 9
			l.Add(e)
		}
	}
	const out = ` "(image a.png is left out: it was refused by the model's vendor)"`
	want := "user one" + out + "\nassistant a <m/a> <m/b>\nuser two [image a.png]\nuser lost [image a.png]\n" +
		"call 1 bash {}\ncall 2 bash {}\nresult 1 r" + out + "\nresult 2 s\n"
	if diff := cmp.Diff(want, summary(l.Request().Messages)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// State that a vendor does not take back is left out of all messages at once; what
// comes later goes with it, and another model gets its own. P4
func TestStaleState(t *testing.T) {
	events := numbered([]ikigai.Event{user("u"), withVendor(assistant("a"), `1`), user("v"), withVendor(call("1", ""), `2`), result("1", "r")})
	l := scratch(events)
	memo := l.Request().Memo
	e, ok := l.Quarantine(&ikigai.Error{StaleState: true, Message: 2, What: "No"}, "m/a")
	const content = "m/a does not take back what it had kept with its replies: No. That is left out from now on; the log keeps it."
	if e.Seq = 6; !ok || e.Content != content || string(e.Data) != `{"seq":4,"model":"m/a","reason":"No","whole":false,"state":true}` {
		t.Fatalf("%v: %s %s", ok, e.Content, e.Data)
	}
	l.Add(e)
	events = append(events, e)
	if l.Request().Memo == memo {
		t.Error("the memo stays")
	}
	if _, ok := l.Quarantine(&ikigai.Error{StaleState: true}, "m/a"); ok {
		t.Error("it is left out twice")
	}
	good := withVendor(assistant("b"), `3`)
	good.Seq = 7
	l.Add(good)
	want := "user u\nassistant a <m/b>\nuser v\ncall 1 bash {} <m/b>\nresult 1 r\nassistant b <m/a> <m/b>\n"
	for name, l := range map[string]*Line{"now": l, "after a restart": scratch(append(events, good))} {
		if diff := cmp.Diff(want, summary(l.Request().Messages)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// What a content filter refuses without a name for it: the results of the last
// round, then the reply before them; of the statement, it is what is said next
// that goes without it. P3
func TestQuarantineOfUnseen(t *testing.T) {
	const out = standIn + "\n"
	tests := []struct {
		name   string
		events []ikigai.Event
		want   []string // after each refusal
	}{
		{"a first statement", []ikigai.Event{system("s"), user("bad")}, []string{"system s\nuser " + out + "user next\n"}},
		{"a statement", []ikigai.Event{user("u"), assistant("a"), user("bad")}, []string{"user u\nassistant a\nuser " + out + "user next\n"}},
		{"one that was added to", []ikigai.Event{user("u"), assistant("a"), user("bad"), user("more")},
			[]string{"user u\nassistant a\nuser " + out + "user " + out + "user next\n"}},
		{"results", []ikigai.Event{user("u"), call("1", `{"x":1}`), call("2", `{"y":1}`), result("1", "bad"), result("2", "s")}, []string{
			"user u\ncall 1 bash {\"x\":1}\ncall 2 bash {\"y\":1}\nresult 1 " + out + "result 2 " + out,
			"user u\ncall 1 bash {}\ncall 2 bash {}\nresult 1 " + out + "result 2 " + out,
			""}},
		{"results, and what the person said meanwhile", []ikigai.Event{user("u"), assistant("a"), call("1", `{"x":1}`), result("1", "r"), user("bad")}, []string{
			"user u\nassistant a\ncall 1 bash {\"x\":1}\nresult 1 " + out + "user bad\n",
			"user u\nassistant " + out + "call 1 bash {}\nresult 1 " + out + "user bad\n",
			"user u\nassistant " + out + "call 1 bash {}\nresult 1 " + out + "user " + out + "user next\n"}},
		{"an answer, with the statement after it", []ikigai.Event{user("u"), assistant("bad"), user("v")}, []string{
			"user u\nassistant bad\nuser " + out + "user next\n",
			"user u\nassistant " + out + "user " + out + "user next\n"}},
		{"a summary, with the statement after it", []ikigai.Event{user("u"), assistant("a"),
			ikigai.NewEvent(ikigai.KindProjection, "", ikigai.ProjectionData{Summary: &ikigai.SummaryData{To: 2, Text: "bad"}}), user("v")}, []string{
			"user bad\nuser " + out + "user next\n",
			"user " + out + "user " + out + "user next\n"}},
		{"a result that was made up", []ikigai.Event{user("u"), call("1", "")}, []string{""}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			events := numbered(test.events)
			l := scratch(events)
			add := func(e ikigai.Event) {
				e.Seq = ikigai.Seq(len(events) + 1)
				events = append(events, e)
				l.Add(e)
			}
			for i, want := range test.want {
				l.Request()
				e, again := l.Quarantine(&ikigai.Error{Kind: ikigai.ErrorContentFilter, What: "No"}, "m/a")
				ok := again
				if !again {
					e, ok = l.QuarantineStatement("m/a", "No")
				}
				if ok != (want != "") {
					t.Fatalf("refusal %d: %v, %s", i+1, ok, e.Data)
				}
				if !ok {
					break
				}
				add(e)
				if !again {
					add(user("next"))
				}
				if diff := cmp.Diff(want, summary(l.Request().Messages)); diff != "" {
					t.Fatalf("refusal %d (-want +got):\n%s", i+1, diff)
				}
				if diff := cmp.Diff(want, summary(scratch(events).Request().Messages)); diff != "" {
					t.Errorf("refusal %d, after a restart (-want +got):\n%s", i+1, diff)
				}
			}
		})
	}
}

// No rewind gives a vendor back what it refuses. P13
func TestQuarantineStays(t *testing.T) {
	quarantine := ikigai.NewEvent(ikigai.KindQuarantine, "", ikigai.QuarantineData{Seq: 1, Model: "m/a", Whole: true})
	l := fold(user("u"), assistant("a"), user("v"), quarantine, rewind(2), user("w"))
	if got, want := script(l.Request().Messages), "user "+standIn+"\nassistant a\nuser w\n"; got != want {
		t.Errorf("got %s", got)
	}
}

// What a vendor wants back goes with what its model wrote, and with nothing
// else. P4
func TestVendorState(t *testing.T) {
	tests := []struct {
		name   string
		events []ikigai.Event
		want   string
	}{
		{"as it came", []ikigai.Event{user("u"), withVendor(assistant("a"), `1`)}, "user u\nassistant a <m/a> <m/b>\n"},
		{"with a call whose result is lost", []ikigai.Event{user("u"), withVendor(call("1", "{}"), `1`), user("v")},
			"user u\ncall 1 bash {} <m/a> <m/b>\nresult 1 MAY HAVE RUN\nuser v\n"},
		{"with a call that got another ID", []ikigai.Event{user("u"), withVendor(call("a b", ""), `1`), result("a b", "r")},
			"user u\ncall call_2 bash {} <m/a> <m/b>\nresult call_2 r\n"},
		{"with text that was cleaned", []ikigai.Event{user("u"), withVendor(assistant("a\xff\xfe\xfd"), `1`)}, "user u\nassistant a\uFFFD\n"},
		{"with calls below text that was cleaned",
			[]ikigai.Event{user("u"), assistant("a\xff\xfe\xfd"), withVendor(call("1", "{}"), `1`), result("1", "r")},
			"user u\nassistant a\uFFFD\ncall 1 bash {}\nresult 1 r\n"},
		{"with a call whose neighbour was repaired",
			[]ikigai.Event{user("u"), withVendor(call("1", "{}"), `1`), call("2", "{"), result("1", "r"), result("2", "s")},
			"user u\ncall 1 bash {}\ncall 2 bash {\"invalid_json\":\"{\"}\nresult 1 r\nresult 2 s\n"},
		{"with the next reply",
			[]ikigai.Event{user("u"), call("1", "{"), result("1", "r"), withVendor(call("2", "{}"), `1`), result("2", "s")},
			"user u\ncall 1 bash {\"invalid_json\":\"{\"}\nresult 1 r\ncall 2 bash {} <m/a> <m/b>\nresult 2 s\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, summary(fold(test.events...).Request().Messages)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// Text of parts is clean, and none is blank. P2, P6
func TestParts(t *testing.T) {
	parts := []ikigai.Part{{Type: ikigai.PartText, Text: " "}, {Type: ikigai.PartText, Text: "a\x00"}, {Type: ikigai.PartImage, Name: "\xff"}}
	image := ikigai.Part{Type: ikigai.PartImage, Name: "b"}
	l := fold(
		ikigai.Message{Kind: ikigai.KindSystem, Content: "s", Parts: []ikigai.Part{image}}.Event(),
		ikigai.Message{Kind: ikigai.KindUser, Parts: parts[:1]}.Event(),
		ikigai.Message{Kind: ikigai.KindUser, Parts: parts}.Event())
	if got, want := summary(l.Request().Messages), "system s\nuser  \"a\uFFFD\" [image \uFFFD]\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
