package history

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"ikigai"
	"ikigai/internal/media"
)

// FuzzLine holds the laws of the projection over any sequence of events:
//
//   - every request is valid for every vendor;
//   - folding step by step, with requests in between, gives the same messages
//     as folding from scratch;
//   - while the memo stays, all messages but the last stay, and a result, also
//     there: feedback comes before it is sent;
//   - after a rewind the conversation is the one it was after an earlier event,
//     but for what was put in quarantine since, and after a clear nothing but
//     the system message is left;
//   - what a vendor refuses can be left out a bounded number of times, each of
//     which changes what is sent.
//
// P1, P2, P4, P5, P6, P13, P27, S1.19, S2.34, S5.6
func FuzzLine(f *testing.F) {
	f.Add([]byte("suacrua"))
	f.Add([]byte("suaccRRuccrTucuiur"))
	f.Add([]byte("accrrsuCxCxRuDdeu"))
	f.Add([]byte("uc1c1r1r1c2u\x00\xffr2s"))
	f.Add([]byte("suacrw1u0000wukw00uawf"))
	f.Add([]byte("succr0wrxuc1w000wuTxw2"))
	f.Add([]byte("sunuaxnu2nuw1un\x00nu\xffw9nuw000nu"))
	f.Add([]byte("supV1PrqaVvPrq2pppp0qw1qqu"))
	f.Add([]byte("sucrFacCrRFwwuFFcF"))
	f.Add([]byte("succrrF1auc2rF2qqxFuccrF3rFw9"))
	f.Add([]byte("succrr123Jua"))
	f.Add([]byte("suaccrr1234J1Jua"))
	f.Add([]byte("suclcLjcccl1l2lj12JaujqqVJVLJ"))
	f.Add([]byte("succrraujJuaw1uJwwujccrj12Jcrx"))
	f.Add([]byte("suc5555r5555555555555555555555555555555555555555555555555555555Ru9crajjJqqqJVJruaxuJk"))
	f.Add([]byte("succrrFUUcr1UTwUuajUJqU"))
	f.Add([]byte("suU1crU2crFU3aUxU1w9UJUJ"))
	f.Add([]byte("sup9999999pppppppppcPcPcPvppppwuppq"))
	f.Fuzz(func(t *testing.T, script []byte) {
		events := eventsOf(script[:min(len(script), 200)])
		line := New(ikigai.Main)
		line.SetBlobs(loadPicture)
		var last ikigai.Request
		var sent []string // the messages of last
		was := map[ikigai.Seq]string{}
		for i, e := range events {
			line.Add(e)
			request := loaded(line)
			if err := valid(request.Messages); err != nil {
				t.Fatalf("after event %d: %v\n%s", e.Seq, err, dump(request.Messages))
			}
			if request.Memo == last.Memo {
				if err := extends(sent, request.Messages); err != nil {
					t.Fatalf("after event %d: %v", e.Seq, err)
				}
			}
			last, sent = request, dumpEach(request.Messages)
			was[e.Seq] = dump(request.Messages)
			checkTravel(t, events[:i+1], was)
			if i%4 == 3 {
				if diff := cmp.Diff(dump(loaded(scratch(events[:i+1])).Messages), was[e.Seq]); diff != "" {
					t.Fatalf("after event %d, from scratch against step by step:\n%s", e.Seq, diff)
				}
			}
		}
		checkCompact(t, scratch(events), ikigai.Seq(len(events)))
		checkQuarantine(t, line, ikigai.Seq(len(events)))
	})
}

func scratch(events []ikigai.Event) *Line {
	line := New(ikigai.Main)
	line.SetBlobs(loadPicture)
	for _, e := range events {
		line.Add(e)
	}
	return line
}

// loaded returns the next request with all that goes with it.
func loaded(line *Line) ikigai.Request {
	if err := line.Load(); err != nil {
		panic(err)
	}
	return line.Request()
}

// loadPicture has some pictures, some that no vendor takes, and lacks some.
func loadPicture(hash string) ([]byte, error) {
	switch len(hash) % 3 {
	case 0:
		return nil, ikigai.ErrNotFound
	case 1:
		return []byte("no picture"), nil
	}
	return picture(1, 1), nil
}

// checkQuarantine refuses messages as long as something can be left out.
func checkQuarantine(t *testing.T, line *Line, seq ikigai.Seq) {
	t.Helper()
	before := loaded(line).Messages
	for range 4*len(before) + 1 {
		refused := false
		refusals := []ikigai.Error{{StaleState: true}, {Kind: ikigai.ErrorContentFilter}}
		for n := range len(before) + 1 { // 0: the newest images
			refusals = append(refusals, ikigai.Error{Message: n})
		}
		for i := range len(refusals) + 1 {
			e, ok := line.QuarantineStatement("m/a", "No")
			if i < len(refusals) {
				e, ok = line.Quarantine(&refusals[i], "m/a")
			}
			if !ok {
				continue
			}
			refused = true
			seq++
			e.Seq = seq
			line.Add(e)
			after := loaded(line).Messages
			if err := valid(after); err != nil {
				t.Fatalf("%s %s: %v\n%s", e.Content, e.Data, err, dump(after))
			}
			if len(after) != len(before) || dump(after) == dump(before) {
				t.Fatalf("%s %s:\n%s\nwas before\n%s", e.Content, e.Data, dump(after), dump(before))
			}
			before = after
		}
		if !refused {
			return
		}
	}
	t.Fatalf("there is no end of what can be left out:\n%s", dump(before))
}

// checkCompact has a conversation put in fewer words as long as that leaves less.
func checkCompact(t *testing.T, line *Line, seq ikigai.Seq) {
	t.Helper()
	all := line.exchanges()
	if len(all) > 0 && !strings.Contains(script(loaded(line).Messages), all[len(all)-1].asks) {
		all = nil // a projection of the script, or a quarantine, has left it out
	}
	for range 20 {
		before := weightOf(loaded(line).Messages)
		e, ok := line.Compact(t.Context(), Compaction{Budget: 500, Reason: ikigai.FitBudget})
		if !ok {
			return
		}
		seq++
		e.Seq = seq
		line.Add(e)
		after := loaded(line).Messages
		if err := valid(after); err != nil || weightOf(after) >= before {
			t.Fatalf("from %d to %d bytes: %v\n%s", before, weightOf(after), err, dump(after))
		}
		if n := len(all); n > 0 && !strings.Contains(script(after), all[n-1].asks) {
			t.Fatalf("the last statement, %q, is not sent:\n%s", all[n-1].asks, dump(after))
		}
	}
	t.Fatal("there is no end of what can be put in fewer words")
}

// checkTravel checks the conversation after a rewind or a clear, the last of
// events. was is the conversation after each event so far.
func checkTravel(t *testing.T, events []ikigai.Event, was map[ikigai.Seq]string) {
	t.Helper()
	e := events[len(events)-1]
	switch e.Kind {
	case ikigai.KindRewind:
		var d ikigai.RewindData
		if e.DecodeData(&d) == nil && 0 < d.To && d.To < e.Seq {
			then := scratch(events[:d.To])
			for _, e := range events[d.To:] {
				if e.Kind == ikigai.KindQuarantine {
					then.Add(e)
				}
			}
			if diff := cmp.Diff(dump(loaded(then).Messages), was[e.Seq]); diff != "" {
				t.Fatalf("rewound from %d to %d (-then +now):\n%s", e.Seq, d.To, diff)
			}
		}
	case ikigai.KindClear:
		var left []ikigai.Message
		if was[e.Seq] != "" {
			_ = json.Unmarshal([]byte(was[e.Seq]), &left)
		}
		if len(left) > 1 || len(left) == 1 && left[0].Kind != ikigai.KindSystem {
			t.Fatalf("cleared at %d:\n%s", e.Seq, was[e.Seq])
		}
	case ikigai.KindMark, ikigai.KindFork, ikigai.KindUndo:
		if was[e.Seq] != was[e.Seq-1] {
			t.Fatalf("a %s changed the conversation:\n%s", e.Kind, was[e.Seq])
		}
	}
}

// eventsOf reads a sequence of events from bytes: a letter an event, and what
// is no letter for an event becomes the text of the next.
func eventsOf(script []byte) []ikigai.Event {
	var events []ikigai.Event
	r := scriptReader{text: "t"}
	for _, c := range script {
		if e, ok := r.event(c, ikigai.Seq(len(events)+1)); ok {
			events = append(events, e)
		}
	}
	return events
}

type scriptReader struct{ text string }

// event returns the event that c stands for, to be the one at seq.
func (r *scriptReader) event(c byte, seq ikigai.Seq) (e ikigai.Event, ok bool) {
	text := r.text
	id := string(rune('a' + len(text)%3))
	switch c {
	case 's':
		e = system(text)
	case 'u':
		e = user(text)
	case 'U':
		e = ikigai.NewEvent(ikigai.KindUser, text, ikigai.MessageData{By: ikigai.BySteer, Parts: pictures(text)})
	case 'a':
		e = assistant(text)
	case 'c':
		e = call(id, `{"k":"`+text+`"}`)
	case 'C':
		e = call(text, text)
	case 'r':
		e = result(id, text)
	case 'R':
		e = result(text, text)
	case 'l':
		e = result(id, `{"output":"`+strings.Repeat(text+"ä", 100)+`"}`)
	case 'L':
		e = ikigai.Message{Kind: ikigai.KindToolResult, Result: &ikigai.ToolResult{CallID: id, Output: strings.Repeat(text, 300), Parts: pictures(text)}}.Event()
	case 'p':
		e = ikigai.Message{Kind: ikigai.KindUser, Content: text, Parts: pictures(text)}.Event()
	case 'P':
		e = ikigai.Message{Kind: ikigai.KindToolResult, Result: &ikigai.ToolResult{CallID: id, Parts: pictures(text)}}.Event()
	case 'v':
		e = ikigai.Message{Kind: ikigai.KindAssistant, Content: text, Vendor: vendor(text)}.Event()
	case 'V':
		m, _ := call(id, `{"k":"`+text+`"}`).Message()
		m.Vendor = vendor(text)
		e = m.Event()
	case 'q': // of an event that depends on the text
		e = ikigai.NewEvent(ikigai.KindQuarantine, "", ikigai.QuarantineData{
			Seq: seq - ikigai.Seq(len(text)%7), Model: "m/a", Whole: strings.Contains(text, "2"), State: strings.Contains(text, "3"),
			With: []ikigai.Seq{seq / 2, seq + 1}})
	case 'j', 'J': // of events that depend on the text
		e = projection(text, seq, c == 'J')
	case 'F':
		e = feedbackOf(text)
	case 'i':
		e = ikigai.NewEvent(ikigai.KindInterrupted, text, nil)
	case 'T':
		e = ikigai.NewEvent(ikigai.KindTools, "", ikigai.ToolsData{})
	case 'w': // to a place that depends on the text
		to := 0
		for _, c := range []byte(text) {
			to += int(c)
		}
		e = ikigai.NewEvent(ikigai.KindRewind, "", ikigai.RewindData{To: ikigai.Seq(to) % (seq + 1)})
	case 'x':
		e = ikigai.NewEvent(ikigai.KindClear, "", nil)
	case 'k':
		e = ikigai.NewEvent(ikigai.KindMark, text, nil)
	case 'f':
		e = ikigai.NewEvent(ikigai.KindFork, "", ikigai.ForkData{Session: "s", Seq: seq})
	case 'n': // of files and in a direction that depend on the text
		e = ikigai.NewEvent(ikigai.KindUndo, "", ikigai.UndoData{Redo: len(text)%2 == 0, Files: []string{"/" + text, "/" + id}})
	case 'd':
		e = call(id, "")
		e.Data = json.RawMessage(text)
	default:
		r.text += string([]byte{c})
		return e, false
	}
	if len(text) > 60 {
		r.text = ""
	}
	e.Seq = seq
	return e, true
}

// valid checks the rules that vendors enforce and their schemas do not say.
func valid(messages []ikigai.Message) error {
	ids := map[string]bool{}
	var waiting []string // IDs of calls without a result, in order
	userSeen, results := false, false
	for i, m := range messages {
		if m.Kind == ikigai.KindSystem && i > 0 {
			return fmt.Errorf("message %d: a second system message", i)
		}
		if m.Kind == ikigai.KindUser {
			userSeen = true
		} else if m.Kind != ikigai.KindSystem && !userSeen {
			return fmt.Errorf("message %d: a %s before the first user", i, m.Kind)
		}
		if err := validParts(partsOf(m)); err != nil {
			return fmt.Errorf("message %d: %w", i, err)
		}
		switch m.Kind {
		case ikigai.KindToolCall:
			if results && len(waiting) > 0 {
				return fmt.Errorf("message %d: a call among results", i)
			}
			if ids[m.Call.ID] || !isName(m.Call.ID) || len(m.Call.ID) > 40 || !isName(m.Call.Name) {
				return fmt.Errorf("message %d: bad call %+v", i, *m.Call)
			}
			if !json.Valid([]byte(m.Call.Arguments)) || m.Call.Arguments[0] != '{' && strings.TrimSpace(m.Call.Arguments)[0] != '{' {
				return fmt.Errorf("message %d: arguments %q", i, m.Call.Arguments)
			}
			ids[m.Call.ID] = true
			waiting, results = append(waiting, m.Call.ID), false
		case ikigai.KindToolResult:
			if len(waiting) == 0 || waiting[0] != m.Result.CallID {
				return fmt.Errorf("message %d: result for %s, waiting for %v", i, m.Result.CallID, waiting)
			}
			waiting, results = waiting[1:], true
			if m.Result.Feedback != "" && len(waiting) > 0 {
				return fmt.Errorf("message %d: feedback before the last result of its round", i)
			}
			if err := cleanText(m.Result.Output); err != nil {
				return err
			}
		default:
			if len(waiting) > 0 {
				return fmt.Errorf("message %d: a %s before the results of %v", i, m.Kind, waiting)
			}
			if strings.TrimSpace(m.Content) == "" && len(m.Parts) == 0 {
				return fmt.Errorf("message %d: an empty %s", i, m.Kind)
			}
			if err := cleanText(m.Content); err != nil {
				return err
			}
		}
	}
	if len(waiting) > 0 {
		return errors.New("calls without results at the end")
	}
	return nil
}

func validParts(parts []ikigai.Part) error {
	for _, p := range parts {
		if !isMedia(p) && (p.Text == "" || len(p.Bytes) > 0) {
			return fmt.Errorf("part %+v", p)
		}
		if p.Type == ikigai.PartImage && len(p.Bytes) > 0 && !media.Taken(p.Bytes) {
			return fmt.Errorf("an image that vendors do not take: %d bytes", len(p.Bytes))
		}
		if err := cleanText(p.Text + p.Name); err != nil {
			return err
		}
	}
	return nil
}

func cleanText(s string) error {
	if !utf8.ValidString(s) || strings.ContainsRune(s, 0) {
		return fmt.Errorf("text %q", s)
	}
	return nil
}

// extends checks that next keeps all of last but its last message.
func extends(last []string, next []ikigai.Message) error {
	keep := max(len(last)-1, 0)
	if keep < len(last) && strings.Contains(last[keep], `"Kind": "tool_result"`) {
		keep++
	}
	if len(next) < keep {
		return fmt.Errorf("%d messages became %d", len(last), len(next))
	}
	if diff := cmp.Diff(last[:keep], dumpEach(next[:keep])); diff != "" {
		return fmt.Errorf("messages changed under one memo:\n%s", diff)
	}
	return nil
}

func dump(messages []ikigai.Message) string {
	if len(messages) == 0 {
		return ""
	}
	return "[" + strings.Join(dumpEach(messages), ",\n") + "]"
}

// dumpEach returns the messages as JSON, with the bytes of what goes with them.
func dumpEach(messages []ikigai.Message) []string {
	all := []string{}
	for _, m := range messages {
		parts := slices.Clone(partsOf(m))
		for i, p := range parts {
			if len(p.Bytes) > 0 {
				parts[i].Text = fmt.Sprintf("%x", sha256.Sum256(p.Bytes))
			}
		}
		raw, _ := json.MarshalIndent(withParts(m, parts), "", " ")
		all = append(all, string(raw))
	}
	return all
}

// pictures returns some pictures, of sizes that depend on the text.
func pictures(text string) []ikigai.Part {
	p := ikigai.Part{Type: ikigai.PartImage, Name: text, Blob: "h" + text, Size: int64(len(text)) << 18}
	return []ikigai.Part{p, {Type: ikigai.PartText, Text: text}, p}[:1+len(text)%3]
}

// projection trims events, and sums up what came before one, that depend on the
// text.
func projection(text string, seq ikigai.Seq, summary bool) ikigai.Event {
	d := ikigai.ProjectionData{Model: "m/a", Reason: ikigai.FitBudget, Budget: 100, After: 50}
	for back := range ikigai.Seq(8) {
		d.Trimmed = append(d.Trimmed, ikigai.TrimmedResult{Seq: seq - back, Keep: len(text) % 3 * 4, File: text})
	}
	if summary {
		d.Summary = &ikigai.SummaryData{To: seq - ikigai.Seq(len(text)%9), Text: text}
	}
	return ikigai.NewEvent(ikigai.KindProjection, "", d)
}

func vendor(text string) ikigai.VendorState {
	raw, _ := json.Marshal(text)
	return ikigai.VendorState{"m/a": raw, "m/b": raw}
}

// picture is a PNG.
func picture(w, h int) []byte { return encodedPNG(image.NewNRGBA(image.Rect(0, 0, w, h))) }

func encodedPNG(img image.Image) []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err)
	}
	return b.Bytes()
}
