package tools

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"slices"
	"sync"

	"ikigai"
	"ikigai/internal/crash"
)

// A file is stale if it does not hold any more what the model read or left in it
// last. A change of such a file could undo what somebody else has done.

// known returns the hash of what the model knows of a file, or "".
func (cfg Config) known(target string) string {
	if cfg.Known == nil {
		return ""
	}
	hash, _ := cfg.Known(target)
	return hash
}

// isStale reports whether a file whose content has a hash is stale.
func (cfg Config) isStale(target, hash string) bool {
	known := cfg.known(target)
	return known != "" && known != hash
}

func hashOf(raw []byte) string {
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// hashedAtOnce is the most bytes that are hashed without a break, in which
// nothing else could be done.
const hashedAtOnce = 1 << 20

// hashBeside computes the hash of raw while something else is done, and returns
// what waits for it.
func hashBeside(raw []byte) func() string {
	parts := make(chan []byte)
	go func() {
		defer crash.Guard()
		for part := range slices.Chunk(raw, hashedAtOnce) {
			parts <- part
		}
		close(parts)
	}()
	return hashParts(parts)
}

// hashParts computes the hash of all parts, in another goroutine that ends once
// they are closed, and returns what waits for it.
func hashParts(parts <-chan []byte) func() string {
	done := make(chan string, 1)
	go func() {
		defer crash.Guard()
		h := sha256.New()
		for part := range parts {
			h.Write(part)
		}
		done <- hex.EncodeToString(h.Sum(nil))
	}()
	return sync.OnceValue(func() string { return <-done })
}

// hashFile returns the hash of a file, without holding it in memory.
func hashFile(ctx context.Context, target string) (string, error) {
	f, err := os.Open(target)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, contextReader{ctx, f}); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// contextReader fails once its context has ended.
type contextReader struct {
	context.Context
	io.Reader
}

func (r contextReader) Read(p []byte) (int, error) {
	if err := r.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(p)
}

// refuseStale returns the failure of a write over a stale file, or nil.
func (cfg Config) refuseStale(ctx context.Context, path, target string) *ikigai.Result {
	known := cfg.known(target)
	if known == "" {
		return nil
	}
	hash, err := hashFile(ctx, target)
	var failure ikigai.Result
	switch {
	case ctx.Err() != nil:
		failure = cancelled()
	case err != nil:
		failure = fileFailure("write", path, err)
	case hash != known:
		failure = ikigai.Failure(codeStaleFile, "File "+display(path)+" has changed since you read it", "Read it again, then write; nothing was changed")
	default:
		return nil
	}
	return &failure
}
