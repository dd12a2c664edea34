package tools

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"

	"ikigai"
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

// isStale reports whether a file that holds raw is stale.
func (cfg Config) isStale(target string, raw []byte) bool {
	known := cfg.known(target)
	return known != "" && known != hashOf(raw)
}

func hashOf(raw []byte) string {
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// hashBeside computes the hash of raw while something else is done, and returns
// what waits for it.
func hashBeside(raw []byte) func() string {
	done := make(chan string, 1)
	go func() { done <- hashOf(raw) }()
	return func() string { return <-done }
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
