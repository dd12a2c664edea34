package agent

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"ikigai"
)

// maxPreImage is the most bytes of a file that are kept before it is changed.
const maxPreImage = 64 << 20

// intend returns the Intend of a call: it records what a file holds before the
// file is changed.
func (a *Agent) intend(callID string) func(context.Context, string) error {
	return func(ctx context.Context, path string) error {
		event, err := preImage(callID, path, a.History.PreImage(path))
		if err != nil {
			return err
		}
		durability, err := a.Recorder.Record(ctx, event)
		if err != nil {
			return closed(err)
		}
		if durability == ikigai.Volatile && !a.AllowVolatile {
			return &ikigai.Error{Kind: ikigai.ErrorStore,
				What: "The content of " + path + " before the change cannot be kept on any disk",
				Do:   "The file was left as it is; tell the person"}
		}
		return nil
	}
}

// preImage returns the change event of a file that is about to change. like is
// the hash of what was kept of it before, or "".
func preImage(callID, path, like string) (ikigai.Event, error) {
	d := ikigai.ChangeData{CallID: callID, Path: path}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return ikigai.NewEvent(ikigai.KindChange, path, d), nil
	case err != nil:
		return ikigai.Event{}, fmt.Errorf("look at %s before its change: %w", path, err)
	}
	d.Existed, d.Mode, d.Size = true, uint32(info.Mode().Perm()), info.Size()
	if info.Size() > maxPreImage {
		d.NotKept = fmt.Sprintf("larger than %d MiB", maxPreImage>>20)
		return ikigai.NewEvent(ikigai.KindChange, path, d), nil
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return ikigai.Event{}, fmt.Errorf("keep %s before its change: %w", path, err)
	}
	sum := sha256.Sum256(content)
	d.Blob = hex.EncodeToString(sum[:])
	event := ikigai.NewEvent(ikigai.KindChange, path, d)
	event.Blobs = []ikigai.Blob{{Hash: d.Blob, Bytes: content}}
	if like != d.Blob {
		event.Blobs[0].Like = like
	}
	return event, nil
}
