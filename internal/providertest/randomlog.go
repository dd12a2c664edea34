package providertest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"ikigai"
)

// RandomLog returns events as a log may hold them: not a valid conversation, but
// what crashes, imports, forks, other versions of this program and models of
// every vendor leave. About every fourth is as this program would write it; the
// others have orphans, repetitions, damaged data and more.
func RandomLog(r *rand.Rand) []ikigai.Event {
	l := &randomLog{r: r}
	l.record(ikigai.KindSession, "/home/u", ikigai.SessionData{Dir: "/home/u", Model: l.model().Name})
	l.setTools()
	if r.IntN(8) > 0 {
		l.say(ikigai.KindSystem)
	}
	for range 1 + r.IntN(4) {
		l.statement()
	}
	if r.IntN(4) > 0 {
		l.spoil()
	}
	for i := range l.events {
		l.events[i].Seq = ikigai.Seq(i + 1)
	}
	return l.events
}

type randomLog struct {
	r      *rand.Rand
	events []ikigai.Event
	ids    int   // of calls and of what vendors name
	now    Model // that is asked
	named  bool  // what it says has IDs
}

func (l *randomLog) model() Model {
	models := Models()
	l.now = models[l.r.IntN(len(models))]
	return l.now
}

func (l *randomLog) add(e ikigai.Event) { l.events = append(l.events, e) }

func (l *randomLog) record(kind ikigai.Kind, content string, data any) {
	l.add(ikigai.NewEvent(kind, content, data))
}

// setTools offers some tools, or none.
func (l *randomLog) setTools() {
	var d ikigai.ToolsData
	for i := range l.r.IntN(4) {
		t := ikigai.ToolSpec{Name: fmt.Sprintf("tool_%d", i), Description: l.text()}
		if l.r.IntN(5) > 0 {
			t.Schema = []byte(`{"type":"object","properties":{"path":{"type":"string"},"list":{"type":"array","items":{"type":"integer"}}},"required":["path"]}`)
		}
		d.Tools = append(d.Tools, t)
	}
	l.record(ikigai.KindTools, "", d)
}

// statement is what a person says, and what becomes of it.
func (l *randomLog) statement() {
	if l.r.IntN(3) == 0 {
		l.model()
	}
	if l.r.IntN(8) == 0 {
		l.setTools()
	}
	l.say(ikigai.KindUser)
	for range l.r.IntN(4) {
		if l.r.IntN(10) == 0 {
			l.model() // a fallback, in the middle of a statement
		}
		l.round()
		for range l.r.IntN(5) - 3 {
			l.say(ikigai.KindUser) // the person adds something
		}
		l.travel()
	}
	switch l.r.IntN(6) {
	case 0:
		l.record(ikigai.KindInterrupted, l.text(), ikigai.InterruptedData{Reason: "crash", Thinking: l.text()})
	case 1: // nothing came
	default:
		l.reply(0)
	}
	l.travel()
}

// say adds a message with text and, at times, images and files.
func (l *randomLog) say(kind ikigai.Kind) {
	m := ikigai.Message{Kind: kind, Content: l.text()}
	if l.r.IntN(5) == 0 {
		m.Content = ""
	}
	if kind == ikigai.KindUser {
		m.Parts = l.parts()
	}
	l.add(l.withBlobs(m.Event(), m.Parts))
}

// round is a reply with calls, and their results in any order.
func (l *randomLog) round() {
	calls := l.reply(1 + l.r.IntN(3))
	l.r.Shuffle(len(calls), func(i, j int) { calls[i], calls[j] = calls[j], calls[i] })
	for _, c := range calls {
		res := &ikigai.ToolResult{CallID: c.ID, Name: c.Name, Output: l.text(), Success: l.r.IntN(2) == 0, Parts: l.parts()}
		switch l.r.IntN(6) {
		case 0:
			res.Output = ""
		case 1:
			res.Output = l.arguments()
		}
		if l.r.IntN(4) == 0 {
			res.Note = l.text()
		}
		l.add(l.withBlobs(ikigai.Message{Kind: ikigai.KindToolResult, Content: "for people", Result: res}.Event(), res.Parts))
	}
}

// reply adds what the model says: text, calls, and what its vendor wants back.
func (l *randomLog) reply(calls int) (made []*ikigai.ToolCall) {
	text := ""
	if calls == 0 || l.r.IntN(2) == 0 {
		text = l.text()
	}
	if l.r.IntN(4) == 0 {
		l.record(ikigai.KindThinking, l.text(), nil)
	}
	for range calls {
		made = append(made, &ikigai.ToolCall{ID: l.callID(), Name: l.toolName(), Arguments: l.arguments()})
	}
	state := l.state(text, calls)
	if text != "" {
		m := ikigai.Message{Kind: ikigai.KindAssistant, Content: text}
		if calls == 0 {
			m.Vendor = state
		}
		l.add(m.Event())
	}
	for i, c := range made {
		m := ikigai.Message{Kind: ikigai.KindToolCall, Content: "for people", Call: c}
		if i == 0 {
			m.Vendor = state
		}
		l.add(m.Event())
	}
	if l.r.IntN(3) == 0 {
		l.record(ikigai.KindUsage, "", ikigai.UsageData{Model: l.now.Name})
	}
	return made
}

// callID returns an ID in the form of some vendor, or in none.
func (l *randomLog) callID() string {
	l.ids++
	n := fmt.Sprintf("%d", l.ids)
	switch l.r.IntN(10) {
	case 0:
		return "toolu_01" + strings.Repeat("A", 22-len(n)) + n
	case 1:
		return "call_" + strings.Repeat("b", 24-len(n)) + n
	case 2:
		return "functions.bash:" + n // Moonshot
	case 3:
		return strings.Repeat("9", 9-len(n)) + n // Mistral
	case 4:
		return "call_" + n + "|fc_" + strings.Repeat("c", 500)
	case 5:
		return "chatcmpl-tool-" + strings.Repeat("d", 32) + n
	case 6:
		return "é 😀/" + n
	case 7:
		return "" // Gemini before 3, Ollama
	case 8:
		return "call_1" // that every reply begins with anew
	}
	return "call_" + n
}

func (l *randomLog) toolName() string {
	if l.r.IntN(8) == 0 {
		return []string{"", "no such tool", "mcp.server:tool", "1st", strings.Repeat("n", 80), "日本"}[l.r.IntN(6)]
	}
	return fmt.Sprintf("tool_%d", l.r.IntN(3))
}

// arguments returns what models have sent for arguments.
func (l *randomLog) arguments() string {
	if l.r.IntN(3) > 0 {
		return `{"path":"a"}`
	}
	return []string{
		`{"path":"a"}`, `{"path":"a","list":[1,2]}`, `{}`, ``, ` `, `null`, `[]`, `"{\"path\":\"a\"}"`, `{"path":`, `{"path":"a"}{"path":"b"}`,
		`{"path":"\u0000"}`, `{"path":"\ud800"}`, `{"path":"\udc00\ud83d\ude00"}`, `{"path":"a","path":"b"}`, "{\"path\":\"\xff\"}",
		`{"number":1e400,"big":123456789012345678901234567890}`, ` {"path" : "a"} `, "not JSON", `{"a":{"a":1,"a":2}}`,
		`{"path":` + strings.Repeat("[", 150) + strings.Repeat("]", 150) + `}`, `{"":""}`,
	}[l.r.IntN(21)]
}

// text returns text that vendors may trip over.
func (l *randomLog) text() string {
	if l.r.IntN(12) == 0 {
		return []string{"", " ", "\n\n", "\u00a0", "\x00", "\xff\xfe", "a\x00b", `\u0000`, "\ufffe", "ends with white space \n"}[l.r.IntN(10)]
	}
	return randomText(l.r)
}

// parts returns images and files, with bytes that are in the log or not, of
// media types that are true or not.
func (l *randomLog) parts() []ikigai.Part {
	if l.r.IntN(5) > 0 {
		return nil
	}
	var parts []ikigai.Part
	for range 1 + l.r.IntN(3) {
		parts = append(parts, l.part())
	}
	return parts
}

func (l *randomLog) part() ikigai.Part {
	kinds := []struct {
		kind  ikigai.PartType
		media string
		bytes string
	}{
		{ikigai.PartText, "", ""},
		{ikigai.PartImage, "image/png", pixel},
		{ikigai.PartImage, "image/jpeg", pixel}, // it is a PNG
		{ikigai.PartImage, "image/gif", "GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"},
		{ikigai.PartImage, "image/png", "no image"},
		{ikigai.PartImage, "image/svg+xml", "<svg/>"},
		{ikigai.PartImage, "", ""},
		{ikigai.PartFile, "application/pdf", "%PDF-1.4"},
		{ikigai.PartFile, "text/csv", "a,b"},
		{ikigai.PartFile, "application/zip", "PK"},
		{ikigai.PartFile, "", "x"},
	}
	k := kinds[l.r.IntN(len(kinds))]
	p := ikigai.Part{Type: k.kind, Media: k.media}
	if k.kind == ikigai.PartText {
		p.Text = l.text()
		return p
	}
	if l.r.IntN(2) == 0 {
		p.Name = []string{"a.png", "b.pdf", "é\x00.txt"}[l.r.IntN(3)]
	}
	if k.bytes != "" {
		p.Blob, p.Bytes = hashOf(k.bytes), []byte(k.bytes)
	}
	return p
}

// pixel is an image.
const pixel = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x00\x00\x00\x00:~\x9bU\x00\x00\x00\nIDATx\x9cc`\x00\x00\x00\x02\x00\x01H\xaf\xa4q\x00\x00\x00\x00IEND\xaeB`\x82"

func hashOf(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// withBlobs gives an event the bytes that its parts name, mostly.
func (l *randomLog) withBlobs(e ikigai.Event, parts []ikigai.Part) ikigai.Event {
	for _, p := range parts {
		if len(p.Bytes) > 0 && l.r.IntN(4) > 0 {
			e.Blobs = append(e.Blobs, ikigai.Blob{Hash: p.Blob, Bytes: p.Bytes})
		}
	}
	return e
}

// travel rewinds, clears, marks or forks at times.
func (l *randomLog) travel() {
	n := ikigai.Seq(len(l.events))
	switch l.r.IntN(40) {
	case 0:
		l.record(ikigai.KindRewind, "", ikigai.RewindData{To: 1 + l.seq(n)})
	case 1:
		l.record(ikigai.KindClear, "", nil)
	case 2:
		l.record(ikigai.KindMark, "here", nil)
	case 3:
		l.record(ikigai.KindFork, "", ikigai.ForkData{Session: "other", Seq: n})
	case 4, 5:
		l.record(ikigai.KindQuarantine, "", ikigai.QuarantineData{Seq: 1 + l.seq(n), Model: l.now.Name, Reason: "no", Whole: l.r.IntN(2) == 0, State: l.r.IntN(4) == 0})
	}
}

func (l *randomLog) seq(below ikigai.Seq) ikigai.Seq { return ikigai.Seq(l.r.Int64N(int64(below))) }

// withoutState returns an event without what a vendor has left with it.
func withoutState(e ikigai.Event) ikigai.Event {
	m, err := e.Message()
	if err != nil || m.Vendor == nil {
		return e
	}
	m.Vendor = nil
	return m.Event()
}

// spoil does to the log what should not happen and does.
func (l *randomLog) spoil() {
	for range 1 + l.r.IntN(5) {
		i, j := l.r.IntN(len(l.events)), l.r.IntN(len(l.events))
		switch l.r.IntN(8) {
		case 0, 1: // lost in a crash
			l.events = slices.Delete(l.events, i, i+1)
			if len(l.events) == 0 {
				l.say(ikigai.KindUser)
			}
		case 2: // imported twice; what a vendor had left is in no other program's file
			l.events = slices.Insert(l.events, j, withoutState(l.events[i]))
		case 3: // out of order
			l.events[i], l.events[j] = l.events[j], l.events[i]
		case 4: // cut off
			l.events = l.events[:i+1]
		case 5: // damaged
			l.events[i].Data = []byte([]string{`{}`, `{"id":5}`, `null`, `{"vendor":{"` + l.now.Name + `":[{"text":-1}]}}`}[l.r.IntN(4)])
		case 6: // from elsewhere
			l.events = slices.Insert(l.events, j, ikigai.Message{Kind: ikigai.KindToolResult,
				Result: &ikigai.ToolResult{CallID: l.callID(), Name: l.toolName(), Output: l.text()}}.Event())
		case 7:
			l.events = slices.Insert(l.events, j, ikigai.NewEvent(ikigai.KindSystem, l.text(), nil))
		}
	}
}
