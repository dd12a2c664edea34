package history

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"ikigai"
)

// addProjection takes in what is sent in fewer words from here on. It belongs to
// the branch on which it was made: a rewind to a place before it brings back what
// was sent there.
func (l *Line) addProjection(e ikigai.Event) {
	var d ikigai.ProjectionData
	if e.DecodeData(&d) == nil {
		l.add(step{seq: e.Seq, message: ikigai.Message{Kind: e.Kind}, projection: &d})
	}
}

// trimmed is a message of which less is sent than the log holds.
type trimmed struct {
	ikigai.TrimmedResult
	size int // bytes that it had
}

// project makes a projection of the messages so far. It reports whether any has
// changed.
func (c *conversation) project(s step) (changed bool) {
	changed = c.trim(s.projection.Trimmed)
	if s.projection.Summary != nil {
		changed = c.summarise(s.seq, *s.projection.Summary) || changed
	}
	return changed
}

// trim shortens messages: those of which that leaves less.
func (c *conversation) trim(all []ikigai.TrimmedResult) (changed bool) {
	wanted := make(map[ikigai.Seq]ikigai.TrimmedResult, len(all))
	for _, t := range all {
		wanted[t.Seq] = t
	}
	for i, m := range c.messages {
		t, ok := wanted[c.origins[i]]
		if !ok || c.origins[i] == 0 {
			continue
		}
		before, again := c.trimmed[t.Seq]
		if again && t.Keep > 0 {
			continue // a part of a part tells nobody where it is from
		}
		size := before.size
		if !again {
			size = trimmable(m)
		}
		short := shortened(m, t, size)
		if weight(short) >= weight(m) {
			continue
		}
		if c.trimmed == nil {
			c.trimmed = map[ikigai.Seq]trimmed{}
		}
		c.messages[i], c.trimmed[t.Seq], changed = short, trimmed{t, size}, true
		c.media.letGo(i)
	}
	return changed
}

// letGo takes what went with a message out of the window.
func (w *mediaWindow) letGo(message int) {
	w.media = slices.DeleteFunc(w.media, func(a attached) bool {
		if a.message == message {
			w.bytes -= a.size
		}
		return a.message == message
	})
}

// trimmable returns the bytes of m that trimming could leave out: a tool's
// output, or the texts that go with a statement.
func trimmable(m ikigai.Message) (n int) {
	if m.Result != nil {
		n = len(m.Result.Output)
	}
	for _, p := range partsOf(m) {
		n += len(p.Text)
	}
	return n
}

// shortened returns m with less of what a tool, or a file, said in it. The words
// of the person and of the model stay.
func shortened(m ikigai.Message, t ikigai.TrimmedResult, size int) ikigai.Message {
	if m.Kind != ikigai.KindToolResult {
		parts := slices.Clone(m.Parts)
		for i, p := range parts {
			if isMedia(p) {
				parts[i] = inPlaceOf(p, "it was trimmed to save room")
			} else {
				parts[i].Text = headAndTail(p.Text, max(t.Keep, minTrimmed), fmt.Sprintf("[%d bytes are trimmed here to save room]", len(p.Text)))
			}
		}
		return withParts(m, parts)
	}
	result := *m.Result
	result.Note = headAndTail(result.Note, minTrimmed, "[…]")
	result.Parts = nil
	said := trimNote(m, t, size)
	body := bodyOf(result.Output)
	if t.Keep > 0 {
		said = headAndTail(body.text, t.Keep, "\n"+said+"\n")
	}
	result.Output = body.with(said)
	m.Result = &result
	return m
}

// minTrimmed is the length up to which a text beside a result is left alone.
const minTrimmed = 256

// trimNote says what was left out of a result, and how to get it back.
func trimNote(m ikigai.Message, t ikigai.TrimmedResult, size int) string {
	what := fmt.Sprintf("%d bytes of output", size)
	if t.Keep > 0 {
		what = fmt.Sprintf("%d of %d bytes of output are shown", min(t.Keep, size), size)
	}
	if n := len(slices.DeleteFunc(slices.Clone(partsOf(m)), func(p ikigai.Part) bool { return !isMedia(p) })); n > 0 {
		what += fmt.Sprintf(", %d images or documents left out", n)
	}
	how := "Call the tool again if you need them."
	if t.File != "" {
		how = "Read them with file_read in " + quoted(ikigai.CleanText(t.File)) + "."
	}
	return "[Trimmed to save room: " + what + ". " + how + "]"
}

// body is what a result is about: a long text, or all of it.
type body struct {
	text string
	// Of a result that is a JSON object: the name of the member that the text is,
	// and the short ones beside it.
	name  string
	short map[string]any
}

// maxShort is the length up to which a member of a result stays beside a text
// that is trimmed, such as an exit code.
const maxShort = 64

// bodyOf takes a result apart.
func bodyOf(output string) body {
	var members map[string]json.RawMessage
	if !strings.HasPrefix(strings.TrimSpace(output), "{") || json.Unmarshal([]byte(output), &members) != nil {
		return body{text: output}
	}
	b := body{text: output, name: "output", short: map[string]any{}}
	for name, raw := range members {
		var s string
		if len(raw) > len(output)/2 && json.Unmarshal(raw, &s) == nil {
			b.name, b.text = name, s // there is one such member at most
		} else if len(name)+len(raw) <= maxShort && len(members) <= 8 {
			b.short[name] = raw
		}
	}
	return b
}

// with returns the result with another text.
func (b body) with(text string) string {
	if b.name == "" {
		return text
	}
	b.short[b.name] = text
	var raw strings.Builder
	enc := json.NewEncoder(&raw)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(b.short) // valid JSON and a text
	return strings.TrimSuffix(raw.String(), "\n")
}

// headAndTail returns s, or its beginning and its end, size bytes together, with
// between in the middle. No character is split.
func headAndTail(s string, size int, between string) string {
	if len(s) <= size {
		return s
	}
	return cutTo(s, size-size/3) + between + tailOf(s, size/3)
}

// cutTo returns the beginning of s, of at most n bytes.
func cutTo(s string, n int) string {
	n = min(n, len(s))
	for n > 0 && n < len(s) && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// tailOf returns the end of s, of at most n bytes.
func tailOf(s string, n int) string {
	at := max(len(s)-n, 0)
	for at < len(s) && !utf8.RuneStart(s[at]) {
		at++
	}
	return s[at:]
}

// summarise puts a summary in the place of the messages up to event d.To, and of
// a summary before it. What belongs together stays so: where that event is in
// the middle of a reply with its calls and results, all of them go.
func (c *conversation) summarise(seq ikigai.Seq, d ikigai.SummaryData) (changed bool) {
	text := ikigai.CleanText(d.Text)
	first := c.first()
	cut := c.behind(first, d.To)
	if strings.TrimSpace(text) == "" || d.To >= seq || !c.hasUser || cut == first && c.summary == 0 {
		return false
	}
	head := 0
	if c.hasSystem {
		head = 1
	}
	c.messages = slices.Concat(c.messages[:head], []ikigai.Message{{Kind: ikigai.KindUser, Content: text}}, c.messages[cut:])
	c.origins = slices.Concat(c.origins[:head], []ikigai.Seq{seq}, c.origins[cut:])
	for i := range cut {
		c.media.letGo(i)
	}
	c.media.shift(head + 1 - cut)
	c.summary, c.filled = seq, 0
	c.round.edited = true // the text of an open reply may be gone
	return true
}

// first returns the place of the first message that no summary stands for.
func (c *conversation) first() (n int) {
	if c.hasSystem {
		n++
	}
	if c.summary > 0 {
		n++
	}
	return n
}

// behind returns the place, not before first, of the first message behind event
// to at which a conversation can go on after a summary: one that depends on none
// before it.
func (c *conversation) behind(first int, to ikigai.Seq) int {
	for i := first; i < len(c.messages); i++ {
		if c.origins[i] > to && c.messages[i].Kind != ikigai.KindToolResult && !ikigai.Joins(c.messages, i) {
			return i
		}
	}
	return len(c.messages)
}
