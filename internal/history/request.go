package history

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"hash"
	"slices"

	"ikigai"
	"ikigai/internal/blob"
)

// maxTail is the longest packed tail that a request event holds itself.
const maxTail = 4 << 10

// requests is what a Line knows of the requests of its interaction: enough to
// record the next one as the difference from an earlier one.
type requests struct {
	unread []ikigai.Event  // request events that were not looked at yet
	stems  []stem          // of those that were
	heads  map[string]bool // hashes that those name
	since  []text          // of the events since the last request

	// The request that was sent last.
	last  stem      // its seq is not known
	sum   hash.Hash // of its bytes
	head  []headPiece
	epoch int // of its memo
}

// stem is a conversation that was sent, without the bytes that close the body.
type stem struct {
	seq  ikigai.Seq // of the request event
	size int64
	sum  [sha256.Size]byte
}

// text is what of an event a tail is packed against.
type text struct {
	content string
	data    json.RawMessage
}

// headPiece is a part of the head of a body, with its hash. It is known again
// by where it lies in memory.
type headPiece struct {
	bytes []byte
	hash  string
}

// add takes in the next event of the interaction. It does little: most events
// come when a session is restored, long before a request.
func (r *requests) add(e ikigai.Event) {
	if e.Kind == ikigai.KindRequest {
		e.Blobs = nil
		r.unread = append(r.unread, e)
		r.since = nil
		return
	}
	r.since = append(r.since, text{e.Content, e.Data})
}

// read looks at the request events that came since it did so last.
func (r *requests) read() {
	if r.heads == nil {
		r.heads = map[string]bool{}
	}
	for _, e := range r.unread {
		var d struct {
			Head       []string `json:"head"`
			Stem       int64    `json:"stem"`
			StemSHA256 string   `json:"stem_sha256"`
		}
		if e.DecodeData(&d) != nil {
			continue
		}
		for _, hash := range d.Head {
			r.heads[hash] = true
		}
		s := stem{seq: e.Seq, size: d.Stem}
		if raw, err := hex.DecodeString(d.StemSHA256); err == nil && len(raw) == len(s.sum) {
			copy(s.sum[:], raw)
			r.stems = append(r.stems, s)
		}
	}
	r.unread = nil
}

// Sent returns the event that records a request to model: one that Request
// returned, as it was sent. It is to be recorded before any other event of the
// interaction. No other method may be called meanwhile.
func (l *Line) Sent(model string, choice ikigai.ToolChoice, sent ikigai.Sent) ikigai.Event {
	r := &l.requests
	r.read()
	d := ikigai.RequestData{Model: model, Size: sent.Size, SHA256: hex.EncodeToString(sent.SHA256[:])}
	if choice.Mode != ikigai.ToolChoiceAuto {
		d.ToolChoice = choice.String()
	}
	var blobs []ikigai.Blob
	d.Head, blobs = r.setHead(sent.Head)
	d.Previous, d.Kept = r.goOn(l.epoch, sent)
	d.Stem, d.StemSHA256 = r.last.size, hex.EncodeToString(r.last.sum[:])
	if tail := behind(sent.Conversation, d.Kept); len(tail) > 0 {
		base := joined(r.since)
		for _, p := range l.mediaIn(tail) {
			d.Media = append(d.Media, p.Fit)
			base = base64.StdEncoding.AppendEncode(base, p.Bytes)
			if l.contents.held[p.Blob].made == p.Fit {
				blobs = append(blobs, ikigai.Blob{Hash: p.Fit, Bytes: p.Bytes})
			}
		}
		d.Tail = blob.Diff(base, tail)
	}
	if len(d.Tail) > maxTail {
		long := ikigai.Blob{Hash: blob.Hash(d.Tail), Bytes: d.Tail}
		d.Tail, d.TailBlob, blobs = nil, long.Hash, append(blobs, long)
	}
	e := ikigai.NewEvent(ikigai.KindRequest, "", d)
	e.Interaction, e.Blobs = l.interaction, blobs
	return e
}

// mediaIn returns the images and documents of the last request whose bytes
// stand, in base64, in the tail of what was sent; Fit is the hash of these.
func (l *Line) mediaIn(tail []byte) (found []ikigai.Part) {
	for _, m := range slices.Backward(l.asked) {
		for _, p := range slices.Backward(partsOf(m)) {
			if len(p.Bytes) == 0 || base64.StdEncoding.EncodedLen(len(p.Bytes)) > len(tail) {
				continue
			}
			encoded := base64.StdEncoding.AppendEncode(nil, p.Bytes)
			if at := bytes.LastIndex(tail, encoded); at >= 0 {
				p.Fit = sentHash(p)
				found = append(found, p)
				tail = tail[:at]
			}
		}
	}
	slices.Reverse(found)
	return found
}

// setHead returns the hashes of the pieces of a head, and the blobs of those
// that no request has named yet.
func (r *requests) setHead(pieces [][]byte) (hashes []string, blobs []ikigai.Blob) {
	before := r.head
	r.head = nil
	for i, p := range pieces {
		var last headPiece
		if i < len(before) {
			last = before[i]
		}
		hash := last.hash
		if !same(p, last.bytes) {
			hash = blob.Hash(p)
		}
		if !r.heads[hash] {
			blobs = append(blobs, ikigai.Blob{Hash: hash, Bytes: p, Like: last.hash})
		}
		hashes = append(hashes, hash)
		r.head = append(r.head, headPiece{p, hash})
	}
	return hashes, blobs
}

// same reports whether a and b are one place in memory.
func same(a, b []byte) bool {
	return len(a) > 0 && len(a) == len(b) && &a[0] == &b[0]
}

// goOn finds the request whose conversation the one of sent goes on with, and
// the bytes of it that are kept. It makes sent the last request.
func (r *requests) goOn(epoch int, sent ikigai.Sent) (previous ikigai.Seq, kept int64) {
	size := sizeOf(sent.Conversation) - int64(sent.Closing)
	// Sent speaks of the last request with its memo, if that was recorded.
	var before stem
	if n := len(r.stems); n > 0 && epoch == r.epoch && r.stems[n-1].same(r.last) {
		before = r.stems[n-1]
	}
	r.epoch = epoch
	if before.seq > 0 && sent.Kept >= before.size && size >= before.size {
		fresh := behind(sent.Conversation, before.size)
		_, _ = r.sum.Write(fresh[:size-before.size]) // never fails
		r.setLast(size)
		return before.seq, sent.Kept
	}
	previous, kept = r.find(sent.Conversation, size)
	if before.seq > 0 && sent.Kept > kept {
		return before.seq, sent.Kept
	}
	return previous, kept
}

// find returns the longest known stem that the first size bytes of pieces begin
// with. It goes over them once, and makes them the last stem.
func (r *requests) find(pieces [][]byte, size int64) (seq ikigai.Seq, length int64) {
	candidates := slices.DeleteFunc(slices.Clone(r.stems), func(s stem) bool { return s.size < 1 || s.size > size })
	slices.SortStableFunc(candidates, func(a, b stem) int { return int(a.size - b.size) })
	rest := cursor{pieces: pieces}
	r.sum = sha256.New()
	r.setLast(0)
	for _, c := range candidates {
		if c.size > r.last.size {
			rest.writeTo(r.sum, c.size-r.last.size)
			r.setLast(c.size)
		}
		if c.same(r.last) {
			seq, length = c.seq, c.size
		}
	}
	rest.writeTo(r.sum, size-r.last.size)
	r.setLast(size)
	return seq, length
}

func (r *requests) setLast(size int64) {
	r.last = stem{size: size}
	r.sum.Sum(r.last.sum[:0])
}

// same reports whether s and t have the same bytes.
func (s stem) same(t stem) bool { return s.size == t.size && s.sum == t.sum }
