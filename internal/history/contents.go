package history

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"ikigai"
	"ikigai/internal/blob"
	"ikigai/internal/media"
)

// contents is the bytes of the images and documents of a conversation. They are
// loaded when a request needs them, each once.
type contents struct {
	read func(hash string) ([]byte, error) // nil: there is nothing to be had
	held map[string]content                // by the hash of what is to be sent, as the log has it
}

// content is the bytes to send of a part; nil if they are lost.
type content struct {
	bytes []byte
	media string // MIME type
	// made is the hash of bytes that were made here, because those of the log
	// are more than vendors take; the log does not hold them.
	made string
}

// SetBlobs says where the bytes of images and documents are, by the hash that
// an event names; an error that wraps ikigai.ErrNotFound says that they are
// lost. Those of events that are added with their blobs are known without.
func (l *Line) SetBlobs(read func(hash string) ([]byte, error)) { l.contents.read = read }

// Load gives the images and documents of the next Request their bytes. What is
// lost stays without. Any other error, an *ikigai.Error of kind store, is one of
// the moment: no request is to be made then, because it would differ from those
// before it, and Load goes on from there when it is called again.
func (l *Line) Load() (err error) {
	for c := &l.now; c.filled < len(c.messages); c.filled++ {
		if c.messages[c.filled], err = l.contents.fill(c.messages[c.filled]); err != nil {
			return err
		}
	}
	for _, m := range l.now.round.results {
		if m == nil {
			continue
		}
		if *m, err = l.contents.fill(*m); err != nil {
			return err
		}
	}
	return nil
}

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

// fill returns m with the bytes of its images and documents.
func (c *contents) fill(m ikigai.Message) (ikigai.Message, error) {
	if !slices.ContainsFunc(partsOf(m), isMedia) {
		return m, nil
	}
	parts := slices.Clone(partsOf(m))
	for i, p := range parts {
		if !isMedia(p) || p.Bytes != nil {
			continue
		}
		found, err := c.of(p)
		if err != nil {
			return m, err
		}
		p.Bytes, p.Media, p.Fit = found.bytes, cmp.Or(found.media, p.Media), cmp.Or(found.made, p.Fit)
		parts[i] = p
	}
	return withParts(m, parts), nil
}

func (c *contents) of(p ikigai.Part) (content, error) {
	hash := sentHash(p)
	if found, ok := c.held[hash]; ok {
		return found, nil
	}
	if c.read == nil || hash == "" {
		return content{}, nil
	}
	raw, err := c.read(hash)
	if err != nil && !errors.Is(err, ikigai.ErrNotFound) {
		return content{}, unread(p, err)
	}
	return c.hold(p, raw), nil
}

// unread returns the error about an image or a document that the store does not
// give back now.
func unread(p ikigai.Part, err error) error {
	if errors.As(err, new(*ikigai.Error)) {
		return err
	}
	return &ikigai.Error{Kind: ikigai.ErrorStore, Err: err,
		What: fmt.Sprintf("The %s of the conversation cannot be read: %v", named(p), err),
		Do:   "Ask again with `ikigai run --continue` when the store answers"}
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
