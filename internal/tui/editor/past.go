package editor

import "strings"

// past is where the person is in the history. The zero value is what is typed
// now.
type past struct {
	entries []string // nil before the first step back
	at      int
	drafts  map[int]string // what was made of entries, and of what is typed now
}

// upOrOlder goes a row up, or from the first one to an older entry.
func (e *Editor) upOrOlder() {
	if !e.moveRow(-1) && e.recall(-1) {
		e.cursor = lineEnd(e.text, 0) // so that Up goes on
	}
}

// downOrNewer goes a row down, or from the last one to a newer entry.
func (e *Editor) downOrNewer() {
	if !e.moveRow(1) {
		e.recall(1)
	}
}

// recall shows the entry that many steps away, as the person has left it. It is
// false if there is none.
func (e *Editor) recall(steps int) bool {
	p := &e.past
	if p.entries == nil {
		p.entries = e.config.History.Entries()
		p.at = len(p.entries)
		p.drafts = make(map[int]string)
	}
	to := p.at + steps
	if to < 0 || to > len(p.entries) {
		return false
	}
	p.drafts[p.at] = e.text
	text, drafted := p.drafts[to]
	if !drafted {
		text = e.entry(p.entries[to])
	}
	p.at, e.goal = to, -1
	e.changes.next()
	e.edit(0, len(e.text), text)
	return true
}

// mostEntry bounds what stands openly in the text of an entry of the history, in
// bytes.
const mostEntry = 64 << 10

// entry returns an entry of the history as it stands in the text.
func (e *Editor) entry(text string) string {
	text = clean(text)
	if len(text) > mostEntry {
		if c, ok := e.pasteChip(text); ok {
			return c
		}
	}
	return text
}

// folded returns text with each part between its chips as entry has it.
func (e *Editor) folded(text string) string {
	if len(text) <= mostEntry {
		return text
	}
	var b strings.Builder
	for {
		i := strings.Index(text, chipLead)
		if i < 0 {
			b.WriteString(e.entry(text))
			return b.String()
		}
		b.WriteString(e.entry(text[:i]) + text[i:i+chipSize])
		text = text[i+chipSize:]
	}
}

// memory is a History that ends with the program.
type memory struct {
	entries []string
	bytes   int
}

const (
	mostEntries     = 5_000
	mostMemoryBytes = 8 << 20
)

// Entries returns what was added, the oldest first.
func (m *memory) Entries() []string { return m.entries }

// Add adds an entry, unless it equals the last one.
func (m *memory) Add(text string) {
	if n := len(m.entries); n > 0 && m.entries[n-1] == text {
		return
	}
	m.entries = append(m.entries, text)
	m.bytes += len(text)
	for len(m.entries) > mostEntries || m.bytes > mostMemoryBytes && len(m.entries) > 1 {
		m.bytes -= len(m.entries[0])
		m.entries[0] = ""
		m.entries = m.entries[1:]
	}
}
