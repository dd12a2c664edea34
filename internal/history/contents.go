package history

import (
	"maps"
	"slices"

	"ikigai"
	"ikigai/internal/blob"
	"ikigai/internal/media"
)

// contents is the bytes of the images and documents of a conversation. They are
// loaded when a request needs them, each once.
type contents struct {
	load func(hash string) ([]byte, error) // nil: there is nothing to be had
	held map[string]content                // by the hash of what is to be sent, as the log has it
}

// content is the bytes to send of a part; nil if they cannot be had.
type content struct {
	bytes []byte
	media string // MIME type
	// made is the hash of bytes that were made here, because those of the log
	// are more than vendors take; the log does not hold them.
	made string
}

// SetBlobs says where the bytes of images and documents are, by the hash that
// an event names. Those of events that are added with their blobs are known
// without.
func (l *Line) SetBlobs(load func(hash string) ([]byte, error)) { l.contents.load = load }

// carried takes what an event brought with it.
func (c *contents) carried(m ikigai.Message, blobs []ikigai.Blob) {
	for _, p := range partsOf(m) {
		i := slices.IndexFunc(blobs, func(b ikigai.Blob) bool { return isMedia(p) && b.Hash == sentHash(p) })
		if i >= 0 {
			c.hold(p, blobs[i].Bytes)
		}
	}
}

// keepOnly lets go of what is not sent any more.
func (c *contents) keepOnly(of conversation) {
	if len(c.held) == 0 {
		return
	}
	needed := map[string]bool{}
	for _, a := range of.media.media {
		needed[a.hash] = true
	}
	for _, m := range of.round.results {
		if m != nil {
			for _, p := range partsOf(*m) {
				needed[sentHash(p)] = true
			}
		}
	}
	maps.DeleteFunc(c.held, func(hash string, _ content) bool { return !needed[hash] })
}

// fill gives the images and documents of messages their bytes.
func (c *contents) fill(messages []ikigai.Message) {
	for i, m := range messages {
		if !slices.ContainsFunc(partsOf(m), isMedia) {
			continue
		}
		parts := slices.Clone(partsOf(m))
		for j, p := range parts {
			if isMedia(p) {
				parts[j] = c.filled(p)
			}
		}
		messages[i] = withParts(m, parts)
	}
}

func (c *contents) filled(p ikigai.Part) ikigai.Part {
	if p.Bytes != nil {
		return p
	}
	found := c.of(p)
	p.Bytes = found.bytes
	if found.media != "" {
		p.Media = found.media
	}
	if found.made != "" {
		p.Fit = found.made
	}
	return p
}

func (c *contents) of(p ikigai.Part) content {
	hash := sentHash(p)
	if found, ok := c.held[hash]; ok {
		return found
	}
	var raw []byte
	if c.load != nil && hash != "" {
		raw, _ = c.load(hash) // what is lost is not sent
	}
	return c.hold(p, raw)
}

// hold keeps the bytes of p, in a form that vendors take. What was recorded
// without one, by another program, gets it here.
func (c *contents) hold(p ikigai.Part, raw []byte) content {
	found := content{bytes: raw, media: media.Type(raw)}
	if p.Type == ikigai.PartImage && p.Fit == "" && len(raw) > 0 && !media.Taken(raw) {
		fitted, kind, err := media.Fit(raw)
		if err != nil {
			fitted, kind = nil, ""
		}
		found = content{bytes: fitted, media: kind}
		if len(fitted) > 0 {
			found.made = blob.Hash(fitted)
		}
	}
	if c.held == nil {
		c.held = map[string]content{}
	}
	c.held[sentHash(p)] = found
	return found
}
