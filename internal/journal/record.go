package journal

import (
	"encoding/binary"
	"errors"

	"ikigai"
)

// Record is one Append that waits: events that follow after, appended under a
// grant.
type Record struct {
	Grant   ikigai.Grant
	After   ikigai.Seq
	AfterID ikigai.ID // of the event at After; "" if there is none or an older version wrote the record
	Events  []ikigai.Event
}

var errRecord = errors.New("the record does not have the form of one")

// encode appends the binary form of r to b. Numbers are varints, texts and
// bytes have their length in front; everything is kept byte for byte. AfterID
// and what blobs are like come last: older versions end before them.
func encode(b []byte, r Record) []byte {
	b = appendText(b, r.Grant.Session)
	b = binary.AppendVarint(b, r.Grant.Fence)
	b = binary.AppendVarint(b, int64(r.After))
	b = binary.AppendUvarint(b, uint64(len(r.Events)))
	for i := range r.Events {
		b = encodeEvent(b, &r.Events[i])
	}
	b = appendText(b, r.AfterID)
	for _, e := range r.Events {
		for _, blob := range e.Blobs {
			b = appendText(b, blob.Like)
		}
	}
	return b
}

func encodeEvent(b []byte, e *ikigai.Event) []byte {
	b = appendText(b, e.Session)
	b = binary.AppendVarint(b, int64(e.Seq))
	b = appendText(b, e.ID)
	b = appendText(b, e.Interaction)
	b = appendText(b, e.Kind)
	b = binary.AppendVarint(b, int64(e.Time))
	b = appendText(b, e.Content)
	// No data and empty data are told apart by the length plus one.
	if e.Data == nil {
		b = binary.AppendUvarint(b, 0)
	} else {
		b = binary.AppendUvarint(b, uint64(len(e.Data))+1)
		b = append(b, e.Data...)
	}
	b = binary.AppendUvarint(b, uint64(len(e.Blobs)))
	for _, blob := range e.Blobs {
		b = appendText(b, blob.Hash)
		b = appendText(b, blob.Bytes)
	}
	return b
}

func appendText[T ~string | ~[]byte](b []byte, text T) []byte {
	b = binary.AppendUvarint(b, uint64(len(text)))
	return append(b, text...)
}

// decode is the inverse of encode. The record has no memory in common with b.
func decode(b []byte) (Record, error) {
	d := decoder{rest: b}
	r := Record{Grant: ikigai.Grant{Session: ikigai.ID(d.text()), Fence: d.number()}, After: ikigai.Seq(d.number())}
	for range d.count() {
		r.Events = append(r.Events, d.event())
	}
	if len(d.rest) > 0 {
		r.AfterID = ikigai.ID(d.text())
		for _, e := range r.Events {
			for i := range e.Blobs {
				e.Blobs[i].Like = d.text()
			}
		}
	}
	if d.failed || len(d.rest) > 0 {
		return Record{}, errRecord
	}
	return r, nil
}

// decoder takes values from the front of rest. After a failure it returns
// zero values.
type decoder struct {
	rest   []byte
	failed bool
}

func (d *decoder) event() ikigai.Event {
	e := ikigai.Event{
		Session: ikigai.ID(d.text()), Seq: ikigai.Seq(d.number()), ID: ikigai.ID(d.text()), Interaction: d.text(),
		Kind: ikigai.Kind(d.text()), Time: ikigai.Micros(d.number()), Content: d.text(),
	}
	if n := d.length(); n > 0 {
		e.Data = append([]byte{}, d.take(n-1)...)
	}
	for range d.count() {
		e.Blobs = append(e.Blobs, ikigai.Blob{Hash: d.text(), Bytes: append([]byte{}, d.take(d.length())...)})
	}
	return e
}

func (d *decoder) number() int64 {
	v, n := binary.Varint(d.rest)
	d.skip(n)
	return v
}

func (d *decoder) length() uint64 {
	v, n := binary.Uvarint(d.rest)
	d.skip(n)
	return v
}

// count returns a number of items that rest can hold, each at least one byte.
func (d *decoder) count() uint64 {
	n := d.length()
	if n > uint64(len(d.rest)) {
		d.failed = true
		return 0
	}
	return n
}

func (d *decoder) text() string { return string(d.take(d.length())) }

func (d *decoder) take(n uint64) []byte {
	if d.failed || n > uint64(len(d.rest)) {
		d.failed = true
		return nil
	}
	taken := d.rest[:n]
	d.rest = d.rest[n:]
	return taken
}

// skip drops the n bytes of a number; n is not positive if there was none.
func (d *decoder) skip(n int) {
	if d.failed || n <= 0 {
		d.failed = true
		d.rest = nil
		return
	}
	d.rest = d.rest[n:]
}
