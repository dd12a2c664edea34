package provider

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"hash"
	"slices"

	"ikigai"
)

// Encode returns the body of req as w writes it for the model with the given
// name, vendor/model, and what is told of it. With a memo it encodes and hashes
// only what the memo does not hold; the bytes are the same without one.
func Encode(name string, w Wire, req ikigai.Request) (Body, ikigai.Sent) {
	if req.Memo == nil {
		return new(encoded).extend(name, w, req)
	}
	e, ok := req.Memo.Encoded.(*encoded)
	if !ok {
		e = new(encoded)
		req.Memo.Encoded = e
	}
	return e.extend(name, w, req)
}

// encoded is a request in parts: the head, the closed messages, and the tail
// with the last ones, which alone may change in the next request. All parts are
// immutable once sent.
type encoded struct {
	name   string // of the model
	given  headOf
	head   [][]byte
	closed [][]byte // messages behind the head, a comma after each
	size   int64    // of closed
	sum    hash.Cloner
	done   int // messages in head and closed
	tail   []byte
}

// headOf is what the head of a request depends on. The tools and the system
// message are the same for all requests of a memo.
type headOf struct {
	choice         ikigai.ToolChoice
	level          ikigai.Level
	format, schema string
	maxOutput      int
	cacheKey       string
}

func headOfRequest(req ikigai.Request) headOf {
	h := headOf{choice: req.ToolChoice, level: req.Level, maxOutput: req.MaxOutput, cacheKey: req.CacheKey}
	if req.Format != nil {
		h.format, h.schema = req.Format.Name, string(req.Format.Schema)
	}
	return h
}

// extend encodes req on top of what e holds.
func (e *encoded) extend(name string, w Wire, req ikigai.Request) (Body, ikigai.Sent) {
	if e.name != name || e.done > 0 && (e.done >= len(req.Messages) || ikigai.Joins(req.Messages, e.done)) {
		*e = encoded{name: name}
	}
	e.setHead(w, req)
	last := lastGroup(req.Messages, e.done)
	fresh := w.Append(make([]byte, 0, sizeOf(req.Messages[e.done:last])), req.Messages[e.done:last], false)
	tail := w.Append(make([]byte, 0, sizeOf(req.Messages[last:])), req.Messages[last:], true)
	tail = append(bytes.TrimSuffix(tail, comma), Closing...)
	kept := e.size + int64(common(e.tail, fresh, tail))
	if len(fresh) > 0 {
		e.closed = joinSmall(append(e.closed, fresh))
		e.size += int64(len(fresh))
		e.sum.Write(fresh)
	}
	e.done, e.tail = last, tail
	if len(tail) == len(Closing) {
		return e.sentWithoutTail(kept)
	}
	return e.sent(kept)
}

// sentWithoutTail is sent for a conversation whose last group is nothing on the
// wire: the comma before it goes as well. e holds nothing then, as the next
// request does not go on where this one ends.
func (e *encoded) sentWithoutTail(kept int64) (Body, ikigai.Sent) {
	parts := &e.closed
	if len(e.closed) == 0 {
		parts = &e.head
	}
	*parts = slices.Clone(*parts)
	if last := len(*parts) - 1; last >= 0 {
		(*parts)[last] = bytes.TrimSuffix((*parts)[last], comma)
	}
	e.sum = sumOf(e.head, e.closed)
	body, sent := e.sent(0)
	sent.Kept = min(kept, body[len(e.head):].Size()-int64(len(Closing)))
	*e = encoded{}
	return body, sent
}

var comma = []byte(",")

// sent returns the body and what is told of it.
func (e *encoded) sent(kept int64) (Body, ikigai.Sent) {
	body := make(Body, 0, len(e.head)+len(e.closed)+1)
	body = append(append(append(body, e.head...), e.closed...), e.tail)
	n := len(e.head)
	sent := ikigai.Sent{Head: body[:n:n], Conversation: body[n:], Closing: len(Closing), Kept: kept, Size: body.Size()}
	sum := clone(e.sum)
	sum.Write(e.tail)
	sum.Sum(sent.SHA256[:0])
	return body, sent
}

// setHead gives e the head of req. What follows it stays, if the options are
// all that is new.
func (e *encoded) setHead(w Wire, req ikigai.Request) {
	given := headOfRequest(req)
	if e.done > 0 && e.given == given {
		return
	}
	before, done := e.head, e.done
	pieces, inHead := w.Head(req)
	for i := range min(len(pieces), len(before)) {
		if bytes.Equal(pieces[i], before[i]) {
			pieces[i] = before[i] // known again by its place in memory
		}
	}
	e.given, e.head, e.done = given, pieces, max(done, inHead)
	e.sum = sumOf(e.head, e.closed)
}

// sumOf returns the hash of head and closed, to be gone on with.
func sumOf(head, closed [][]byte) hash.Cloner {
	sum := sha256.New().(hash.Cloner)
	for _, p := range slices.Concat(head, closed) {
		sum.Write(p)
	}
	return sum
}

func clone(h hash.Cloner) hash.Cloner {
	c, err := h.Clone()
	if err != nil {
		panic("provider: a SHA-256 that cannot be cloned: " + err.Error())
	}
	return c
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

// lastGroup returns where the last group begins, not before from.
func lastGroup(messages []ikigai.Message, from int) int {
	i := max(len(messages)-1, from)
	for i > from && ikigai.Joins(messages, i) {
		i--
	}
	return i
}

// countMessages returns how many messages of the wire an Append has written.
func countMessages(appended []byte) int {
	var list []json.RawMessage
	raw := append(append([]byte("["), bytes.TrimSuffix(appended, comma)...), ']')
	if json.Unmarshal(raw, &list) != nil {
		return 1
	}
	return len(list)
}

// sizeOf estimates the encoded length of messages.
func sizeOf(messages []ikigai.Message) int {
	n := 2
	for _, m := range messages {
		n += 64 + len(m.Content) + mediaSize(m.Parts)
		if m.Call != nil {
			n += 96 + len(m.Call.Arguments)*9/8
		}
		if m.Result != nil {
			n += 96 + (len(m.Result.Output)+len(m.Result.Feedback)+len(m.Result.Note))*9/8 + mediaSize(m.Result.Parts)
		}
	}
	return n
}

// mediaSize is what parts take in base64, about.
func mediaSize(parts []ikigai.Part) int {
	n := 0
	for _, p := range parts {
		n += 64 + len(p.Text) + base64.StdEncoding.EncodedLen(len(p.Bytes))
	}
	return n
}
