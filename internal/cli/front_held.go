package cli

import (
	"slices"
	"sync"

	"ikigai"
)

// held is the end of the session that is open, as the program itself holds it: all
// events that the store does not have, with their blobs, and of the others as many
// as there is room for.
type held struct {
	room int64 // for events that the store has, in bytes

	mu     sync.Mutex
	events []ikigai.Event // up to the session's last one
	stored int            // how many of them the store has
	size   int64          // of these, in bytes
	old    bool           // some were read from the store, without their blobs
}

// serverRoom is the room where the database is on a server, which can go away. One
// that is a file stays readable, also when it takes no more.
const serverRoom = 64 << 20

// newHeld returns what holds a session of the app's database.
func (a *app) newHeld() *held {
	if a.settings.Database.URL() == "" {
		return &held{}
	}
	return &held{room: serverRoom}
}

// add takes in the session's next event.
func (h *held) add(e ikigai.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.events = append(h.events, e)
}

// addOld takes in the next event of those that the store had when the session was
// opened.
func (h *held) addOld(e ikigai.Event) {
	h.keptUpTo(e.Seq - 1)
	h.add(e)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.old = true
}

// whole reports whether all events of the session are held, with their blobs.
func (h *held) whole() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return !h.old && len(h.events) > 0 && h.events[0].Seq == 1
}

// keptUpTo tells that the store has the events up to one.
func (h *held) keptUpTo(seq ikigai.Seq) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for ; h.stored < len(h.events) && h.events[h.stored].Seq <= seq; h.stored++ {
		h.size += heldSize(h.events[h.stored])
	}
	for h.size > h.room {
		h.size -= heldSize(h.events[0])
		h.events[0] = ikigai.Event{} // the rest of the array stays
		h.events = h.events[1:]
		h.stored--
	}
}

// heldSize returns about how many bytes an event takes.
func heldSize(e ikigai.Event) int64 {
	const itself = 300 // without what it says
	size := itself + len(e.Content) + len(e.Data)
	for _, b := range e.Blobs {
		size += len(b.Bytes)
	}
	return int64(size)
}

// all returns the events that are held, in order.
func (h *held) all() []ikigai.Event {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.events)
}

// blob returns bytes that came with an event, and whether they are held.
func (h *held) blob(hash string) ([]byte, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i := range h.events {
		for _, b := range h.events[i].Blobs {
			if b.Hash == hash {
				return b.Bytes, true
			}
		}
	}
	return nil, false
}
