package openai

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"hash"
	"maps"
	"slices"
	"strconv"
	"strings"

	"ikigai"
	"ikigai/internal/provider"
)

// encode returns the body of req. With a memo it encodes and hashes only what
// the memo does not hold; the bytes are the same without one.
func encode(cfg provider.Config, req ikigai.Request) (provider.Body, ikigai.Sent) {
	if req.Memo == nil {
		return new(encoded).extend(cfg, req)
	}
	e, ok := req.Memo.Encoded.(*encoded)
	if !ok {
		e = new(encoded)
		req.Memo.Encoded = e
	}
	return e.extend(cfg, req)
}

// encoded is a request in parts: the head, the closed messages, and the tail
// with the last ones, which alone may change in the next request. All parts are
// immutable once sent.
type encoded struct {
	given  headOf
	head   [][]byte // options and tools, then the system message once others follow it
	closed [][]byte // messages behind the head, a comma after each
	size   int64    // of closed
	sum    hash.Cloner
	done   int // messages in head and closed
	tail   []byte
}

// headOf is what the options of a request depend on. The tools are the same for
// all requests of a memo.
type headOf struct {
	name, model string
	choice      ikigai.ToolChoice
	maxOutput   int
}

// extend encodes req on top of what e holds.
func (e *encoded) extend(cfg provider.Config, req ikigai.Request) (provider.Body, ikigai.Sent) {
	if e.done > 0 && (e.done >= len(req.Messages) || joins(req.Messages, e.done)) {
		*e = encoded{}
	}
	e.setHead(cfg, req)
	last := lastGroup(req.Messages, e.done)
	fresh := encodeMessages(make([]byte, 0, sizeOf(req.Messages[e.done:last])), cfg, req.Messages[e.done:last])
	tail := encodeMessages(make([]byte, 0, sizeOf(req.Messages[last:])), cfg, req.Messages[last:])
	tail = append(bytes.TrimSuffix(tail, comma), closing...)
	kept := e.size + int64(common(e.tail, fresh, tail))
	if len(fresh) > 0 {
		e.closed = joinSmall(append(e.closed, fresh))
		e.size += int64(len(fresh))
		e.sum.Write(fresh)
	}
	e.done, e.tail = last, tail
	return e.sent(kept)
}

// sent returns the body and what is told of it.
func (e *encoded) sent(kept int64) (provider.Body, ikigai.Sent) {
	body := make(provider.Body, 0, len(e.head)+len(e.closed)+1)
	body = append(append(append(body, e.head...), e.closed...), e.tail)
	n := len(e.head)
	sent := ikigai.Sent{Head: body[:n:n], Conversation: body[n:], Closing: len(closing), Kept: kept, Size: body.Size()}
	sum := clone(e.sum)
	sum.Write(e.tail)
	sum.Sum(sent.SHA256[:0])
	return body, sent
}

// maxJoined is the most bytes that joinSmall copies at a time.
const maxJoined = 64 << 10

// joinSmall joins the last parts while they are small and about as large as
// their neighbour: the list of parts stays short, and each byte is copied a few
// times in the life of a session.
func joinSmall(parts [][]byte) [][]byte {
	for n := len(parts); n > 1; n-- {
		a, b := parts[n-2], parts[n-1]
		if len(a) > 2*len(b) || len(a)+len(b) > maxJoined {
			break
		}
		parts = append(parts[:n-2], slices.Concat(a, b))
	}
	return parts
}

// setHead gives e the head of req. What follows it stays, if another choice of
// tools is all that is new.
func (e *encoded) setHead(cfg provider.Config, req ikigai.Request) {
	given := headOf{cfg.Name, cfg.Model, req.ToolChoice, req.MaxOutput}
	if e.done > 0 && e.given == given {
		return
	}
	head := [][]byte{options(cfg, req)}
	switch {
	case e.done > 0:
		head = append(head, e.head[1:]...)
	case len(req.Messages) > 1 && req.Messages[0].Kind == ikigai.KindSystem:
		head = append(head, encodeMessages(nil, cfg, req.Messages[:1]))
		e.done = 1
	}
	e.given, e.head, e.sum = given, head, sha256.New().(hash.Cloner)
	for _, p := range slices.Concat(e.head, e.closed) {
		e.sum.Write(p)
	}
}

func clone(h hash.Cloner) hash.Cloner {
	c, err := h.Clone()
	if err != nil {
		panic("openai: a SHA-256 that cannot be cloned: " + err.Error())
	}
	return c
}

// common returns the length of the longest common prefix of old and the
// joined a and b.
func common(old, a, b []byte) int {
	n := 0
	for _, part := range [2][]byte{a, b} {
		m := 0
		for m < len(part) && n < len(old) && part[m] == old[n] {
			m, n = m+1, n+1
		}
		if m < len(part) {
			break
		}
	}
	return n
}

var comma = []byte(",")

// closing ends a body.
const closing = "]}"

// options returns the body up to its messages. They stand last, so that the
// body of a request begins with that of the request before.
func options(cfg provider.Config, req ikigai.Request) []byte {
	b := appendString([]byte(`{"model":`), cfg.Model)
	b = append(b, `,"stream":true`...)
	if !cfg.Quirks.NoUsageOption {
		b = append(b, `,"stream_options":{"include_usage":true}`...)
	}
	if len(req.Tools) > 0 {
		b = append(b, `,"tools":[`...)
		for i, t := range req.Tools {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendTool(b, t)
		}
		b = append(b, ']')
		b = appendChoice(b, req.ToolChoice)
	}
	if req.MaxOutput > 0 {
		name := cfg.Quirks.MaxOutput
		if name == "" {
			name = "max_completion_tokens"
		}
		b = appendMember(b, name, strconv.AppendInt(nil, int64(req.MaxOutput), 10))
	}
	for _, name := range slices.Sorted(maps.Keys(cfg.Quirks.Body)) {
		b = appendMember(b, name, cfg.Quirks.Body[name])
	}
	return append(b, `,"messages":[`...)
}

func appendMember(b []byte, name string, value json.RawMessage) []byte {
	b = append(b, ',')
	b = appendString(b, name)
	b = append(b, ':')
	return appendJSON(b, value)
}

func appendTool(b []byte, t ikigai.ToolSpec) []byte {
	b = append(b, `{"type":"function","function":{"name":`...)
	b = appendString(b, t.Name)
	b = append(b, `,"description":`...)
	b = appendString(b, t.Description)
	b = append(b, `,"parameters":`...)
	if len(t.Schema) == 0 {
		b = append(b, `{"type":"object","properties":{}}`...)
	} else {
		b = appendJSON(b, t.Schema)
	}
	return append(b, "}}"...)
}

func appendChoice(b []byte, c ikigai.ToolChoice) []byte {
	switch c.Mode {
	case ikigai.ToolChoiceNone:
		return append(b, `,"tool_choice":"none"`...)
	case ikigai.ToolChoiceRequired:
		return append(b, `,"tool_choice":"required"`...)
	case ikigai.ToolChoiceNamed:
		b = append(b, `,"tool_choice":{"type":"function","function":{"name":`...)
		b = appendString(b, c.Name)
		return append(b, "}}"...)
	}
	return b
}

// joins reports whether message i belongs to one group with the message
// before it. A group becomes one wire message, or a few that depend on each
// other: a reply's text with its calls, or the results of one round.
func joins(messages []ikigai.Message, i int) bool {
	if i <= 0 || i >= len(messages) {
		return false
	}
	before := messages[i-1].Kind
	switch messages[i].Kind {
	case ikigai.KindToolCall:
		return before == ikigai.KindAssistant || before == ikigai.KindToolCall
	case ikigai.KindToolResult:
		return before == ikigai.KindToolResult
	}
	return false
}

// lastGroup returns where the last group begins, not before from.
func lastGroup(messages []ikigai.Message, from int) int {
	i := max(len(messages)-1, from)
	for i > from && joins(messages, i) {
		i--
	}
	return i
}

// sizeOf estimates the encoded length of messages.
func sizeOf(messages []ikigai.Message) int {
	n := 2
	for _, m := range messages {
		n += 64 + len(m.Content)
		if m.Call != nil {
			n += 96 + len(m.Call.Arguments)*9/8
		}
		if m.Result != nil {
			n += 96 + (len(m.Result.Output)+len(m.Result.Feedback)+len(m.Result.Note))*9/8
		}
	}
	return n
}

// encodeMessages appends whole groups of messages, a comma after each message.
func encodeMessages(b []byte, cfg provider.Config, messages []ikigai.Message) []byte {
	for len(messages) > 0 {
		n := 1
		for joins(messages, n) {
			n++
		}
		group := messages[:n]
		switch group[0].Kind {
		case ikigai.KindAssistant, ikigai.KindToolCall:
			b = appendReply(b, cfg, group)
		case ikigai.KindToolResult:
			b = appendResults(b, cfg, group)
		case ikigai.KindSystem:
			b = appendText(b, "system", group[0])
		default:
			b = appendText(b, "user", group[0])
		}
		messages = messages[n:]
	}
	return b
}

// appendText appends a message of a role that has text and parts. Text alone
// is sent as a string, which every server understands.
func appendText(b []byte, role string, m ikigai.Message) []byte {
	b = append(b, `{"role":"`...)
	b = append(b, role...)
	b = append(b, `","content":`...)
	if slices.ContainsFunc(m.Parts, isMedia) {
		parts := m.Parts
		if m.Content != "" {
			parts = append([]ikigai.Part{{Type: ikigai.PartText, Text: m.Content}}, parts...)
		}
		b = appendParts(b, parts)
	} else {
		b = appendString(b, joinText(m.Content, m.Parts))
	}
	return append(b, "},"...)
}

func isMedia(p ikigai.Part) bool { return p.Type != ikigai.PartText }

// joinText returns text and the texts of parts, a line feed between them.
func joinText(text string, parts []ikigai.Part) string {
	for _, p := range parts {
		if p.Type != ikigai.PartText {
			continue
		}
		if text != "" {
			text += "\n"
		}
		text += p.Text
	}
	return text
}

// appendReply appends an assistant message of text, calls or both.
func appendReply(b []byte, cfg provider.Config, group []ikigai.Message) []byte {
	b = append(b, `{"role":"assistant","content":`...)
	calls := group
	text := ""
	if group[0].Kind == ikigai.KindAssistant {
		text, calls = group[0].Content, group[1:]
	}
	if text == "" && len(calls) > 0 {
		b = append(b, "null"...)
	} else {
		b = appendString(b, text)
	}
	if len(cfg.Quirks.Replay) > 0 {
		b = appendVendor(b, cfg, group)
	}
	for i, m := range calls {
		if i == 0 {
			b = append(b, `,"tool_calls":[`...)
		} else {
			b = append(b, ',')
		}
		b = appendCall(b, cfg, m.Call)
	}
	if len(calls) > 0 {
		b = append(b, ']')
	}
	return append(b, "},"...)
}

// appendVendor appends what the vendor wants back with a message. It is kept
// with the first message of the reply that has it.
func appendVendor(b []byte, cfg provider.Config, group []ikigai.Message) []byte {
	for _, m := range group {
		var state map[string]json.RawMessage
		if json.Unmarshal(m.Vendor[cfg.Name], &state) != nil || len(state) == 0 {
			continue
		}
		for _, name := range cfg.Quirks.Replay {
			if value := state[name]; len(value) > 0 {
				b = appendMember(b, name, value)
			}
		}
		break
	}
	return b
}

// appendCall appends one tool call. Arguments that were empty mean an object
// without members, and are sent as one.
func appendCall(b []byte, cfg provider.Config, c *ikigai.ToolCall) []byte {
	b = append(b, `{"id":`...)
	b = appendString(b, callID(cfg, c.ID))
	b = append(b, `,"type":"function","function":{"name":`...)
	b = appendString(b, c.Name)
	b = append(b, `,"arguments":`...)
	if strings.TrimSpace(c.Arguments) == "" {
		b = append(b, `"{}"`...)
	} else {
		b = appendString(b, c.Arguments)
	}
	return append(b, "}}"...)
}

// callID returns the ID of a call as the vendor takes it. An ID that does not
// fit becomes the beginning of its hash, so that call and result still agree
// and no state is needed.
func callID(cfg provider.Config, id string) string {
	n := cfg.Quirks.CallIDLength
	if n == 0 || len(id) == n && strings.Trim(id, alphanumeric) == "" {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	short := make([]byte, min(n, len(sum)))
	for i := range short {
		short[i] = alphanumeric[int(sum[i])%len(alphanumeric)]
	}
	return string(short)
}

const alphanumeric = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

// appendResults appends the results of one round. The state of the statement
// and the notes about the runs stand in front of the last one's text. Images
// follow in a message of the user: results can hold only text.
func appendResults(b []byte, cfg provider.Config, group []ikigai.Message) []byte {
	var lead []string
	for _, m := range group {
		if m.Result.Feedback != "" {
			lead = append(lead, m.Result.Feedback)
		}
	}
	for _, m := range group {
		if m.Result.Note != "" {
			lead = append(lead, m.Result.Note)
		}
	}
	var media []ikigai.Part
	for i, m := range group {
		text := joinText(m.Result.Output, m.Result.Parts)
		if i == len(group)-1 && len(lead) > 0 {
			text = strings.Join(lead, "\n") + "\n" + text
		}
		b = append(b, `{"role":"tool","tool_call_id":`...)
		b = appendString(b, callID(cfg, m.Result.CallID))
		b = append(b, `,"content":`...)
		b = appendString(b, text)
		b = append(b, "},"...)
		media = appendMedia(media, m.Result)
	}
	if len(media) > 0 {
		b = append(b, `{"role":"user","content":`...)
		b = appendParts(b, media)
		b = append(b, "},"...)
	}
	return b
}

// appendMedia appends the images and files of a result, under a line that says
// where they come from.
func appendMedia(media []ikigai.Part, r *ikigai.ToolResult) []ikigai.Part {
	said := false
	for _, p := range r.Parts {
		if !isMedia(p) {
			continue
		}
		if !said {
			media = append(media, ikigai.Part{Type: ikigai.PartText, Text: "From the result of " + r.Name + " (" + r.CallID + "):"})
			said = true
		}
		media = append(media, p)
	}
	return media
}

// appendParts appends a list of content parts.
func appendParts(b []byte, parts []ikigai.Part) []byte {
	b = append(b, '[')
	for i, p := range parts {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendPart(b, p)
	}
	return append(b, ']')
}

func appendPart(b []byte, p ikigai.Part) []byte {
	switch {
	case p.Type == ikigai.PartText:
		b = append(b, `{"type":"text","text":`...)
		b = appendString(b, p.Text)
		return append(b, '}')
	case len(p.Bytes) == 0:
		b = append(b, `{"type":"text","text":`...)
		b = appendString(b, strings.TrimSpace("(no longer available: "+string(p.Type)+" "+p.Name)+")")
		return append(b, '}')
	case p.Type == ikigai.PartImage:
		b = append(b, `{"type":"image_url","image_url":{"url":`...)
		b = appendDataURL(b, p)
		return append(b, "}}"...)
	}
	b = append(b, `{"type":"file","file":{"filename":`...)
	b = appendString(b, p.Name)
	b = append(b, `,"file_data":`...)
	b = appendDataURL(b, p)
	return append(b, "}}"...)
}

func appendDataURL(b []byte, p ikigai.Part) []byte {
	media := p.Media
	if media == "" {
		media = "application/octet-stream"
	}
	b = appendString(b, "data:"+media+";base64,")
	b = base64.StdEncoding.AppendEncode(b[:len(b)-1], p.Bytes)
	return append(b, '"')
}
