package foreign

import (
	"crypto/sha256"
	"fmt"
	"strconv"
	"strings"

	"ikigai"
)

// file puts the entries together to sessions.
func (d *decoder) file() (File, error) {
	f := File{Format: d.format, Source: d.source}
	t := tree{decoder: d, byID: map[string]int{}}
	t.link()
	t.assign()
	f.Sessions = t.sessions()
	f.Warnings = d.warnings
	for _, e := range f.Sessions[0].Events {
		if e.Interaction == ikigai.Main && e.Kind.Conversation() && e.Kind != ikigai.KindSystem {
			return f, nil
		}
	}
	return File{}, &ikigai.Error{
		Kind: ikigai.ErrorUsage,
		What: fmt.Sprintf("This session file of %s holds no conversation", d.format),
		Do:   "Name another one",
	}
}

// tree finds out which entries are a session together.
type tree struct {
	*decoder
	byID   map[string]int // place of an entry by its ID
	parent []int          // place of the entry that each follows; -1 for none
	way    []int          // the number of the session that each belongs to; -1 while that is open
	ways   []*way
}

// way is one session: the main one, or a fork.
type way struct {
	fork    int   // the entry at which it leaves another way; -1 for a beginning
	entries []int // in the order of the file
}

// link finds the entry that each one follows. That is always one that stands
// before it in the file, so that there are no circles.
func (t *tree) link() {
	t.parent = make([]int, len(t.entries))
	last := -1
	for i, e := range t.entries {
		t.parent[i] = last
		if e.root {
			t.parent[i] = -1
		} else if p, ok := t.byID[e.parent]; ok && e.parent != "" {
			t.parent[i] = p
		} else if e.parent != "" && !e.beside {
			t.warn(e.line, "A line follows one that is not in the file; it was put behind the one before it")
		}
		if e.beside {
			continue
		}
		if e.id != "" {
			if _, ok := t.byID[e.id]; !ok {
				t.byID[e.id] = i
			}
		}
		last = i
	}
}

// assign gives every entry to a session.
func (t *tree) assign() {
	t.way = make([]int, len(t.entries))
	for i := range t.way {
		t.way[i] = -1
	}
	t.ways = []*way{{fork: -1}}
	for i := t.tip(); i >= 0; i = t.parent[i] {
		t.way[i] = 0
	}
	for i, e := range t.entries {
		switch {
		case t.way[i] == 0:
		case e.beside:
			t.way[i] = 0
		default:
			t.way[i] = t.choose(i)
		}
		w := t.ways[t.way[i]]
		w.entries = append(w.entries, i)
	}
}

// tip returns the entry that the conversation ends on.
func (t *tree) tip() int {
	for i := len(t.entries) - 1; i >= 0; i-- {
		if e := t.entries[i]; !e.beside && len(e.events) > 0 {
			return i
		}
	}
	return -1
}

// choose returns the session of an entry that is not on the main way: that of
// the entry it follows, if it goes on there or completes a reply, or a new one.
func (t *tree) choose(i int) int {
	p := t.parent[i]
	if p >= 0 {
		w := t.way[p]
		if t.completes(i, p) || w > 0 && t.goesOn(p) {
			return w
		}
	} else if len(t.entries[i].events) == 0 {
		return 0
	}
	t.ways = append(t.ways, &way{fork: p})
	return len(t.ways) - 1
}

// completes reports whether entry i begins nothing new behind entry p: it is of
// the same reply, or holds results alone.
func (t *tree) completes(i, p int) bool {
	e := t.entries[i]
	return !e.statement && (e.reply == "" || e.reply == t.entries[p].reply)
}

// goesOn reports whether nothing new stands behind entry p in its session yet.
func (t *tree) goesOn(p int) bool {
	w := t.ways[t.way[p]]
	for j := len(w.entries) - 1; j >= 0 && w.entries[j] != p; j-- {
		if !t.completes(w.entries[j], p) {
			return false
		}
	}
	return true
}

// sessions numbers the events.
func (t *tree) sessions() []Session {
	key := t.source
	if key == "" && len(t.entries) > 0 {
		key = t.contentKey()
	}
	n := numberer{decoder: t.decoder, key: key, last: make([]ikigai.Seq, len(t.entries)), used: map[string]int{}}
	list := make([]Session, len(t.ways))
	for i, w := range t.ways {
		list[i] = n.session(t, i, w, list)
	}
	return list
}

// contentKey stands in for the ID of a session that has none.
func (t *tree) contentKey() string {
	h := sha256.New()
	for _, e := range t.entries {
		for _, event := range e.events {
			fmt.Fprintf(h, "%s\x00%s\x00%s\x00", event.Kind, event.Content, event.Data)
		}
		if e.statement {
			break
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// numberer gives events their session, place, ID and time.
type numberer struct {
	*decoder
	key  string
	last []ikigai.Seq   // by entry: the last event of its session by then
	used map[string]int // names that were turned into IDs
}

func (n *numberer) session(t *tree, number int, w *way, list []Session) Session {
	s := Session{}
	seq := ikigai.Seq(0)
	n.now = n.fallback
	if number == 0 {
		s.ID = n.id(n.begins(), "session")
		s.Events = n.append(nil, s.ID, &seq, n.header(), "begin")
	} else {
		first := t.entries[w.entries[0]]
		// What a way that begins anew shares is the header.
		parent, base := 0, ikigai.Seq(1)
		if w.fork >= 0 {
			parent, base = t.way[w.fork], n.last[w.fork]
			n.now = max(n.now, t.entries[w.fork].time)
		}
		s.ID = n.id(first.time, "fork", first.name())
		s.Parent, s.Base, seq = list[parent].ID, base, base
		for s.Base <= list[parent].Base { // the owner of the last shared event stands further up
			s.Parent = list[parent].Parent
			parent = indexOf(list, s.Parent)
		}
		fork := &entry{line: first.line, time: first.time}
		n.add(fork, ikigai.Main, ikigai.KindFork, "", ikigai.ForkData{
			Session: s.Parent, Seq: s.Base, Reason: "a branch of the imported session",
		})
		s.Events = n.append(nil, s.ID, &seq, fork, "fork", first.name())
	}
	for _, i := range w.entries {
		e := t.entries[i]
		s.Events = n.append(s.Events, s.ID, &seq, e, e.name())
		n.last[i] = seq
	}
	return s
}

func indexOf(list []Session, id ikigai.ID) int {
	for i := range list {
		if list[i].ID == id {
			return i
		}
	}
	return 0
}

// name is the name of an entry, which stays when the file grows.
func (e *entry) name() string {
	if e.id != "" {
		return "id " + e.id
	}
	return "line " + strconv.Itoa(e.line)
}

// begins returns the first time that the file gives.
func (n *numberer) begins() ikigai.Micros {
	for _, e := range n.entries {
		if e.time > 0 {
			return e.time
		}
	}
	return 0
}

// importedData is the data of the session event of an imported session.
type importedData struct {
	ikigai.SessionData
	Imported importedFrom `json:"imported"`
}

type importedFrom struct {
	Format  Format `json:"format"`
	Session string `json:"session,omitempty"`
}

// header returns the entry of what a session begins with.
func (n *numberer) header() *entry {
	e := &entry{line: 1, time: n.begins()}
	n.add(e, ikigai.Main, ikigai.KindSession, n.dir, importedData{
		SessionData: ikigai.SessionData{Dir: n.dir, Model: n.model, Version: strings.TrimSpace(string(n.format) + " " + n.version)},
		Imported:    importedFrom{n.format, n.source},
	})
	return e
}

// append appends the events of e to list, numbered behind seq.
func (n *numberer) append(list []ikigai.Event, session ikigai.ID, seq *ikigai.Seq, e *entry, name ...string) []ikigai.Event {
	if e.time > 0 {
		n.now = e.time
	}
	for i, event := range e.events {
		*seq++
		event.Session, event.Seq, event.Time = session, *seq, n.now
		event.ID = n.id(e.time, append(name, strconv.Itoa(i))...)
		list = append(list, event)
	}
	return list
}

// id returns the ID for a name: a UUIDv7 of the time in the file whose other
// bits depend on the name alone. A name that comes twice has two IDs.
func (n *numberer) id(at ikigai.Micros, name ...string) ikigai.ID {
	text := strings.Join(append([]string{string(n.format), n.key}, name...), "\x00")
	if n.used[text]++; n.used[text] > 1 {
		text += "\x00again " + strconv.Itoa(n.used[text])
	}
	b := sha256.Sum256([]byte(text))
	millis := uint64(max(at, 0)) / 1000
	for i := range 6 {
		b[i] = byte(millis >> (40 - 8*i))
	}
	b[6] = b[6]&0x0F | 0x70 // version 7
	b[8] = b[8]&0x3F | 0x80 // variant of RFC 9562
	return ikigai.ID(fmt.Sprintf("%x-%x-%x-%x-%x", b[0:4], b[4:6], b[6:8], b[8:10], b[10:16]))
}
