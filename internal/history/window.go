package history

import "slices"

// What a request may hold of images and documents: less than any vendor takes,
// with room for what comes.
const (
	maxMedia      = 90
	maxMediaBytes = 20 << 20
	// unknownSize is what a part is taken for whose size the log does not hold.
	unknownSize = 1 << 20
)

// mediaWindow is the images and documents of a conversation that are sent: the
// newest of them. When they become too many, all but half of what may be sent
// are left out at once, so that the beginning of requests changes rarely.
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
			a := attached{message: from + i, part: j, hash: sentHash(p), size: p.Size}
			if a.size <= 0 {
				a.size = unknownSize
			}
			w.media, w.bytes = append(w.media, a), w.bytes+a.size
		}
	}
	if len(w.media) <= maxMedia && w.bytes <= maxMediaBytes {
		return false
	}
	// What has just come is never left out.
	for len(w.media) > 0 && w.media[0].message < from && (len(w.media) > maxMedia/2 || w.bytes > maxMediaBytes/2) {
		oldest := w.media[0]
		w.media, w.bytes = w.media[1:], w.bytes-oldest.size
		c.leaveOut(oldest)
		changed = true
	}
	return changed
}

// leaveOut puts words in the place of an image or a document.
func (c *conversation) leaveOut(a attached) {
	m := c.messages[a.message]
	parts := slices.Clone(partsOf(m))
	parts[a.part] = inPlaceOf(parts[a.part], "there are newer ones")
	c.messages[a.message] = withParts(m, parts)
}
