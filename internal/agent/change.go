package agent

import (
	"context"

	"ikigai"
	"ikigai/internal/preimage"
)

// intend returns the Intend of a call: it records what a file holds before the
// file is changed.
func (a *Agent) intend(callID string) func(context.Context, string) error {
	return func(ctx context.Context, path string) error {
		a.announced(ctx, path)
		data, blobs, err := preimage.Take(path, a.KeepDir)
		if err != nil {
			return err
		}
		data.CallID = callID
		event := ikigai.NewEvent(ikigai.KindChange, path, data)
		event.Blobs = blobs
		durability, err := a.Recorder.Record(ctx, a.likeBefore(event))
		if err != nil {
			return closed(err)
		}
		if durability == ikigai.Volatile && !a.allowsVolatile(ctx) {
			return &ikigai.Error{Kind: ikigai.ErrorStore,
				What: "The content of " + path + " before the change cannot be kept on any disk",
				Do:   "The file was left as it is; tell the person"}
		}
		return nil
	}
}

// likeBefore returns a change event with the word that its blob is probably a
// changed copy of what was kept of the file before.
func (a *Agent) likeBefore(e ikigai.Event) ikigai.Event {
	for i := range e.Blobs {
		if like := a.History.PreImage(e.Content); like != e.Blobs[i].Hash {
			e.Blobs[i].Like = like
		}
	}
	return e
}
