package history

import (
	"slices"

	"ikigai"
	"ikigai/internal/media"
)

// unknownSize is what a part is taken for whose size the log does not hold.
const unknownSize = 1 << 20

// mediaWindow is the images and documents of a conversation that are sent:
// those of the last statement, which is being worked on, with what was added to
// it, and the newest of the others. When they become too many, all but half of
// what may be sent are left out at once, so that the beginning of requests changes
// rarely.
type mediaWindow struct {
	media []attached
	bytes int64
}

// attached is an image or a document in its place.
type attached struct {
	message, part int
	hash          string // of the bytes to send
	size          int64
}

// shift moves the messages of the window by n.
func (w *mediaWindow) shift(n int) {
	for i := range w.media {
		w.media[i].message += n
	}
}

// attach takes what goes with the messages from the given one on into the
// window. It reports whether messages that were there have changed.
func (c *conversation) attach(from int) (changed bool) {
	w := &c.media
	for i, m := range c.messages[from:] {
		for j, p := range partsOf(m) {
			if !isMedia(p) {
				continue
			}
			a := attached{message: from + i, part: j, hash: sentHash(p), size: sentSize(p)}
			if a.size > media.MaxBytes {
				c.leaveOut(a, "it is too large to be sent")
				continue
			}
			w.media, w.bytes = append(w.media, a), w.bytes+a.size
		}
	}
	n := len(w.media)
	exceeds := func(part int) bool { return n > media.MaxCount/part || w.bytes > media.MaxBytes/int64(part) }
	if !exceeds(1) {
		return false
	}
	w.media = slices.DeleteFunc(w.media, func(a attached) bool {
		switch {
		case c.workedOn(a.message) && (a.message < from || c.origins[a.message] == c.statement):
			return false
		case a.message < from && exceeds(2):
			c.leaveOut(a, "there are newer ones")
			changed = true
		case a.message >= from && exceeds(1): // has just come, too much at once
			c.leaveOut(a, "there is no room for it")
		default:
			return false
		}
		n, w.bytes = n-1, w.bytes-a.size
		return true
	})
	return changed
}

// sentSize returns how many bytes are sent of p, at most.
func sentSize(p ikigai.Part) int64 {
	switch {
	case p.Size <= 0:
		return unknownSize
	case p.Type == ikigai.PartImage: // what is larger is made smaller
		return min(p.Size, media.MaxImage)
	}
	return p.Size
}

// workedOn reports whether message i is the statement that is being worked on, or
// what the person has added to it.
func (c *conversation) workedOn(i int) bool {
	return c.messages[i].Kind == ikigai.KindUser && c.origins[i] >= c.statement
}

// leaveOut puts words in the place of an image or a document.
func (c *conversation) leaveOut(a attached, why string) {
	m := c.messages[a.message]
	parts := slices.Clone(partsOf(m))
	parts[a.part] = inPlaceOf(parts[a.part], why)
	c.messages[a.message] = withParts(m, parts)
}
