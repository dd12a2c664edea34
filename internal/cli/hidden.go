package cli

import (
	"slices"
	"sync"
)

// hidden is what must not be shown. The zero value is empty.
type hidden struct {
	mu    sync.Mutex
	texts []string
}

func (h *hidden) add(texts ...string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.texts = append(h.texts, texts...)
}

func (h *hidden) all() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.texts)
}
