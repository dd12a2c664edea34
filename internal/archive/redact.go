package archive

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"ikigai"
	"ikigai/internal/blob"
)

// redactor takes secrets out of events and blobs on their way into an archive.
// One without a function changes nothing.
type redactor struct {
	redact func(string) string

	renamed                map[string]string   // new hashes of blobs that were changed
	touched                map[ikigai.ID]place // sessions in which something was changed
	session                ikigai.ID           // being written
	dirty                  bool                // something was changed in it or its past
	texts, blobs, requests int64
}

// place is the first event of a session that was changed.
type place = ikigai.Seq

func newRedactor(redact func(string) string) redactor {
	return redactor{redact: redact, renamed: map[string]string{}, touched: map[ikigai.ID]place{}}
}

// begin says whose events come next.
func (r *redactor) begin(it item) {
	from, ok := r.touched[it.Parent]
	r.session, r.dirty = it.ID, ok && from <= it.Base
	if r.dirty {
		r.touched[it.ID] = from
	}
}

// text returns s without its secrets.
func (r *redactor) text(s string) string {
	if r.redact == nil {
		return s
	}
	clean := r.redact(s)
	if clean != s {
		r.texts++
	}
	return clean
}

// event returns e without its secrets, and with the new names of blobs that
// were changed.
func (r *redactor) event(e ikigai.Event) ikigai.Event {
	if r.redact == nil {
		return e
	}
	before := r.texts + r.blobs
	e.Content = r.text(e.Content)
	lost := false
	if e.Data != nil {
		e.Data = r.json(e.Data)
		e.Data, lost = r.rename(e.Data)
	}
	if !r.dirty && (lost || r.texts+r.blobs > before) {
		r.dirty = true
		r.touched[r.session] = e.Seq
	}
	if e.Kind == ikigai.KindRequest && r.dirty {
		e.Data = without(e.Data, "tail", "tail_blob")
		r.requests++
	}
	return e
}

// withoutTail returns the data of e, less the blob that a request's tail is in
// if that might have to go.
func (r *redactor) withoutTail(e ikigai.Event) []byte {
	if r.redact == nil || e.Kind != ikigai.KindRequest {
		return e.Data
	}
	return without(e.Data, "tail_blob")
}

// keepsTail reports whether e, which has passed through event, is a request
// that has the tail that withoutTail held back.
func (r *redactor) keepsTail(e ikigai.Event) bool {
	return r.redact != nil && e.Kind == ikigai.KindRequest && !r.dirty
}

// json returns JSON text in which every string, decoded, has passed through
// the function.
func (r *redactor) json(data []byte) []byte {
	var out []byte
	done := 0
	for i := 0; i < len(data); i++ {
		if data[i] != '"' {
			continue
		}
		end := i + stringLen(data[i:])
		var s string
		if json.Unmarshal(data[i:end], &s) == nil {
			if clean := r.text(s); clean != s {
				out = appendText(append(out, data[done:i]...), strings.ToValidUTF8(clean, "\uFFFD"))
				done = end
			}
		}
		i = end - 1
	}
	if done == 0 {
		return data
	}
	return append(out, data[done:]...)
}

// stringLen returns the length of the JSON string that data begins with.
func stringLen(data []byte) int {
	for i := 1; i < len(data); i++ {
		switch data[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(data)
}

// rename replaces the hashes of blobs that were changed. lost tells that there
// were some.
func (r *redactor) rename(data []byte) (renamed []byte, lost bool) {
	if len(r.renamed) == 0 {
		return data, false
	}
	eachHash(data, func(hash string) {
		if name, ok := r.renamed[hash]; ok {
			data, lost = bytes.ReplaceAll(data, []byte(hash), []byte(name)), true
		}
	})
	return data, lost
}

// blob returns the content of a blob without its secrets if it is text that
// has some.
func (r *redactor) blob(hash string, content []byte) (redacted []byte, changed bool) {
	if r.redact == nil || !utf8.Valid(content) {
		return content, false
	}
	text := string(content)
	clean := r.redact(text)
	if clean == text {
		return content, false
	}
	r.blobs++
	r.renamed[hash] = blob.Hash([]byte(clean))
	return []byte(clean), true
}

// without returns a JSON object without some of its members.
func without(data []byte, names ...string) []byte {
	dec := json.NewDecoder(bytes.NewReader(data))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return data
	}
	out := []byte{'{'}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return data
		}
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			return data
		}
		if slices.Contains(names, name.(string)) {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = appendText(out, name.(string))
		out = append(append(out, ':'), value...)
	}
	return append(out, '}')
}
