package history

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"

	"ikigai"
	"ikigai/internal/blob"
)

// Rebuild returns the body of the request that event seq records, byte for byte
// as it was sent and checked against its hash. events are those of the session
// from the first on; they are read twice, up to seq. Blobs that come with them
// are used before those of the store. Rebuild holds little more than two bodies
// in memory.
//
// An error of events or blobs is wrapped; an *ikigai.Error of kind usage says
// that there is nothing to rebuild at seq, one of kind store that the log is
// damaged.
func Rebuild(ctx context.Context, events iter.Seq2[ikigai.Event, error], blobs ikigai.Blobs, seq ikigai.Seq) ([]byte, error) {
	r := rebuilder{ctx: ctx, stored: blobs, carried: map[string][]byte{}}
	body, err := r.run(events, seq)
	if err == nil {
		return body, nil
	}
	if errors.As(err, new(*ikigai.Error)) {
		return nil, err
	}
	return nil, &ikigai.Error{Kind: ikigai.ErrorStore, Err: err,
		What: fmt.Sprintf("The request %d cannot be rebuilt: %v", seq, err),
		Do:   "Look for damage with `ikigai db check`"}
}

// rebuilder follows the requests that lead to one.
type rebuilder struct {
	ctx          context.Context
	stored       ikigai.Blobs
	carried      map[string][]byte // blobs of the head that came with events
	target       ikigai.RequestData
	interaction  string
	leads        map[ikigai.Seq]bool // the requests that the target goes on with, and itself
	since        []text              // of the interaction's events since the last request
	conversation []byte
}

func (r *rebuilder) run(events iter.Seq2[ikigai.Event, error], seq ikigai.Seq) ([]byte, error) {
	if err := r.lead(events, seq); err != nil {
		return nil, err
	}
	for e, err := range events {
		if err != nil {
			return nil, err
		}
		if err := r.add(e); err != nil {
			return nil, fmt.Errorf("event %d: %w", e.Seq, err)
		}
		if e.Seq >= seq {
			break
		}
	}
	return r.body()
}

// lead finds the requests that lead to the one at seq.
func (r *rebuilder) lead(events iter.Seq2[ikigai.Event, error], seq ikigai.Seq) error {
	previous := map[ikigai.Seq]ikigai.Seq{}
	found := false
	for e, err := range events {
		if err != nil {
			return err
		}
		if e.Seq > seq {
			break
		}
		if found = e.Seq == seq; found {
			if err := r.setTarget(e); err != nil {
				return err
			}
		}
		if e.Kind == ikigai.KindRequest {
			var d struct {
				Previous ikigai.Seq `json:"previous"`
			}
			_ = e.DecodeData(&d) // what is damaged leads nowhere
			previous[e.Seq] = d.Previous
		}
		if found {
			break
		}
	}
	if !found {
		return noRequest(fmt.Sprintf("There is no event %d in this session", seq))
	}
	r.leads = map[ikigai.Seq]bool{}
	for at := seq; at > 0; at = previous[at] {
		if _, is := previous[at]; !is || previous[at] >= at {
			return fmt.Errorf("request %d goes on with event %d, which is no earlier request", seq, at)
		}
		r.leads[at] = true
	}
	return nil
}

func (r *rebuilder) setTarget(e ikigai.Event) error {
	if e.Kind != ikigai.KindRequest {
		return noRequest(fmt.Sprintf("Event %d is no request but of kind %s", e.Seq, e.Kind))
	}
	r.interaction = e.Interaction
	if err := e.DecodeData(&r.target); err != nil {
		return err
	}
	if r.target.StemSHA256 == "" {
		return &ikigai.Error{Kind: ikigai.ErrorUsage,
			What: fmt.Sprintf("The request %d cannot be rebuilt: the version of the program that sent it kept only its length, %d bytes, and its SHA-256, %s",
				e.Seq, r.target.Size, r.target.SHA256),
			Do: "Choose a request that was sent by a later version"}
	}
	return nil
}

func noRequest(what string) error {
	return &ikigai.Error{Kind: ikigai.ErrorUsage, What: what, Do: "See `ikigai log --verbose` for the requests there are"}
}

// add takes in the next event of the session.
func (r *rebuilder) add(e ikigai.Event) error {
	if e.Interaction != r.interaction {
		return nil
	}
	if e.Kind != ikigai.KindRequest {
		r.since = append(r.since, text{e.Content, e.Data})
		return nil
	}
	since := r.since
	r.since = nil
	for _, b := range e.Blobs {
		for _, hash := range r.target.Head {
			if hash == b.Hash {
				r.carried[hash] = b.Bytes
			}
		}
	}
	if !r.leads[e.Seq] {
		return nil
	}
	return r.goOn(e, since)
}

// goOn makes the conversation that of the request e.
func (r *rebuilder) goOn(e ikigai.Event, since []text) error {
	var d ikigai.RequestData
	if err := e.DecodeData(&d); err != nil {
		return err
	}
	if d.Kept < 0 || d.Kept > int64(len(r.conversation)) {
		return fmt.Errorf("it keeps %d bytes of %d", d.Kept, len(r.conversation))
	}
	packed := d.Tail
	if d.TailBlob != "" {
		var err error
		if packed, err = r.blob(e, d.TailBlob); err != nil {
			return err
		}
	}
	r.conversation = r.conversation[:d.Kept]
	if len(packed) == 0 {
		return nil
	}
	base := joined(since)
	for _, hash := range d.Media {
		content, err := r.blob(e, hash)
		if err != nil {
			return err
		}
		base = base64.StdEncoding.AppendEncode(base, content)
	}
	tail, err := blob.Patch(base, packed, int(d.Size-d.Kept))
	r.conversation = append(r.conversation, tail...)
	return err
}

// blob returns a blob that comes with e or is stored.
func (r *rebuilder) blob(e ikigai.Event, hash string) ([]byte, error) {
	for _, b := range e.Blobs {
		if b.Hash == hash {
			return b.Bytes, nil
		}
	}
	b, err := r.stored.Blob(r.ctx, hash)
	if err != nil {
		return nil, fmt.Errorf("blob %s: %w", hash, err)
	}
	return b, nil
}

// body returns the head and the conversation, if they are what was sent.
func (r *rebuilder) body() ([]byte, error) {
	var body []byte
	for _, hash := range r.target.Head {
		piece, ok := r.carried[hash]
		if !ok {
			var err error
			if piece, err = r.stored.Blob(r.ctx, hash); err != nil {
				return nil, fmt.Errorf("blob %s: %w", hash, err)
			}
		}
		body = append(body, piece...)
	}
	body = append(body, r.conversation...)
	if sum := sha256.Sum256(body); int64(len(body)) != r.target.Size || hex.EncodeToString(sum[:]) != r.target.SHA256 {
		return nil, errors.New("its bytes do not have its SHA-256")
	}
	return body, nil
}
