package storetest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ikigai"
)

func (b *bench) sessions(q ikigai.SessionQuery) []ikigai.SessionInfo {
	b.Helper()
	var list []ikigai.SessionInfo
	for info, err := range b.Sessions(b.Context(), q) {
		if err != nil {
			b.Fatalf("sessions %+v: %v", q, err)
		}
		list = append(list, info)
	}
	return list
}

// only returns the one session that fits q.
func (b *bench) only(q ikigai.SessionQuery) ikigai.SessionInfo {
	b.Helper()
	list := b.sessions(q)
	if len(list) != 1 {
		b.Fatalf("%d sessions fit %+v, want 1", len(list), q)
	}
	return list[0]
}

func catalog(t *testing.T, b *bench) {
	if list := b.sessions(ikigai.SessionQuery{}); len(list) != 0 {
		t.Fatalf("%d sessions in an empty store", len(list))
	}
	// Begun in this order, last changed in the order 2 0 1 4 3.
	ids := []ikigai.ID{"aa-1", "aa-2", "ab-1", "b_1", "b-1"}
	dirs := []string{"/src", "/src", "/src/sub", `/it's "100%"`, "/src"}
	want := make([]ikigai.SessionInfo, len(ids))
	for i, id := range ids {
		g, _ := b.acquire(id)
		first := Session(id, dirs[i])
		first.Time = ikigai.Micros(1000 + i)
		b.append(g, 0, first)
		last := Statement(id, 2, "what "+string(id))
		last.Time = ikigai.Micros(5000 + (i+3)%5*10)
		b.append(g, 1, last)
		want[i] = ikigai.SessionInfo{
			ID: id, Dir: dirs[i], Title: "what " + string(id), Created: first.Time, Updated: last.Time,
			Events: 2, Statements: 1, Size: sizeOf(first, last),
		}
	}
	for _, test := range []struct {
		query ikigai.SessionQuery
		want  []int
	}{
		{ikigai.SessionQuery{}, []int{1, 0, 4, 3, 2}},
		{ikigai.SessionQuery{Limit: 2}, []int{1, 0}},
		{ikigai.SessionQuery{Dir: "/src"}, []int{1, 0, 4}},
		{ikigai.SessionQuery{Dir: "/src", Limit: 1}, []int{1}},
		{ikigai.SessionQuery{Dir: dirs[3]}, []int{3}},
		{ikigai.SessionQuery{Dir: "/nowhere"}, nil},
		{ikigai.SessionQuery{Prefix: "a"}, []int{1, 0, 2}},
		{ikigai.SessionQuery{Prefix: "aa"}, []int{1, 0}},
		{ikigai.SessionQuery{Prefix: "b_"}, []int{3}},
		{ikigai.SessionQuery{Prefix: "b%"}, nil},
		{ikigai.SessionQuery{Prefix: "aa-1"}, []int{0}},
		{ikigai.SessionQuery{Prefix: "a", Dir: "/src", Limit: 1}, []int{1}},
	} {
		var expected []ikigai.SessionInfo
		for _, i := range test.want {
			expected = append(expected, want[i])
		}
		if diff := cmp.Diff(expected, b.sessions(test.query)); diff != "" {
			t.Errorf("sessions %+v (-want +got):\n%s", test.query, diff)
		}
	}
	for _, err := range b.Sessions(b.Context(), ikigai.SessionQuery{}) {
		if err != nil {
			b.Error(err)
		}
		break
	}
}

func catalogOrders(t *testing.T, b *bench) {
	ids := []ikigai.ID{"a", "b", "c", "d"}
	costs := []int64{5, 70, 0, 20}
	lengths := []int{3000, 10, 2000, 1000}
	counts := []int{2, 5, 3, 4}
	titles := []string{"Ändere die Größe", "a 100% fix", "ändere nichts", "other"}
	for i, id := range ids {
		g, _ := b.acquire(id)
		first := Session(id, "/src")
		first.Time = ikigai.Micros(1000 - i)
		said := Statement(id, 2, titles[i]+"\n"+strings.Repeat("x", lengths[i]))
		said.Time = ikigai.Micros(5000 + (i+2)%4)
		b.append(g, 0, first, said)
		cost := costs[i]
		for n := 3; n <= counts[i]; n++ {
			usage := ikigai.UsageData{Model: "m", Cost: &cost}
			if n > 3 {
				usage.Cost = nil // not known
			}
			e := Event(id, ikigai.Seq(n), ikigai.KindUsage, "", usage)
			e.Time = said.Time
			b.append(g, ikigai.Seq(n-1), e)
		}
	}
	type query = ikigai.SessionQuery
	for _, test := range []struct {
		query query
		want  string
	}{
		{query{}, "b a d c"},
		{query{Reversed: true}, "c d a b"},
		{query{Order: ikigai.ByCreated}, "a b c d"},
		{query{Order: ikigai.ByCreated, Reversed: true, Limit: 3}, "d c b"},
		{query{Order: ikigai.ByEvents}, "b d c a"},
		{query{Order: ikigai.BySize, Reversed: true, Limit: 1}, "b"},
		{query{Order: ikigai.BySize}, "a c d b"},
		{query{Order: ikigai.ByCost}, "b d c a"},
		{query{Order: ikigai.ByCost, Reversed: true}, "a c d b"},
		{query{Since: 5001}, "b a d"},
		{query{Until: 5003}, "a d c"},
		{query{Since: 5001, Until: 5003}, "a d"},
		{query{Title: "ÄNDERE"}, "a c"},
		{query{Title: "ändere", Limit: 1}, "a"},
		{query{Title: "100%"}, "b"},
		{query{Title: "_"}, ""},
		{query{Title: "gröSSe"}, ""},
		{query{Title: "e", Order: ikigai.ByEvents, Since: 5001}, "d a"},
		{query{Parent: "a"}, ""},
	} {
		var got []string
		for _, info := range b.sessions(test.query) {
			got = append(got, string(info.ID))
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("sessions %+v: %s, want %s", test.query, got, test.want)
		}
	}
	if info := b.only(query{Prefix: "b"}); info.Cost != 70 {
		t.Errorf("cost %d, want 70", info.Cost)
	}
}

// sizeOf returns the bytes that events add to the size of their session.
func sizeOf(events ...ikigai.Event) (n int64) {
	for _, e := range events {
		n += int64(len(e.Content) + len(e.Data))
	}
	return n
}

func titles(t *testing.T, b *bench) {
	for _, test := range []struct{ text, want string }{
		{"one line", "one line"},
		{"\n \n  the first line with words  \r\nthe second", "the first line with words"},
		{strings.Repeat("é", 81), strings.Repeat("é", 80)},
		{strings.Repeat("é", 80) + "\nx", strings.Repeat("é", 80)},
		{"it's 100% \"quoted\" \U0010ffff", "it's 100% \"quoted\" \U0010ffff"},
		{"  \n ", "the second statement"},
	} {
		g, _ := b.begin()
		side := Statement(g.Session, 2, "asked on the side")
		side.Interaction = "title"
		b.append(g, 1, side)
		b.append(g, 2, Statement(g.Session, 3, test.text), Event(g.Session, 4, ikigai.KindAssistant, "answer", nil))
		b.append(g, 4, Statement(g.Session, 5, "the second statement"))
		info := b.only(ikigai.SessionQuery{Prefix: string(g.Session)})
		if info.Title != test.want || info.Statements != 2 || info.Events != 5 {
			t.Errorf("session of %q: %+v", test.text, info)
		}
	}
}

// A title event gives the session its title: the last one, but the person's
// before the model's, also where the person gave it to the session that this
// one is a fork of. The first statement's first line stands until there is one.
func titleEvents(t *testing.T, b *bench) {
	named := func(by, text string) ikigai.Event {
		return ikigai.NewEvent(ikigai.KindTitle, text, ikigai.ObjectiveData{By: by})
	}
	said := ikigai.NewEvent(ikigai.KindUser, "fix it", nil)
	loop := ikigai.NewEvent(ikigai.KindUser, "as JSON", ikigai.MessageData{By: ikigai.ByLoop})
	model, person := ikigai.ByModel, ikigai.ByPerson
	for _, test := range []struct {
		name   string
		events []ikigai.Event
		want   string
	}{
		{"the program's own words", []ikigai.Event{loop, said}, "fix it"},
		{"before the first statement", []ikigai.Event{named(model, "The parser"), said}, "The parser"},
		{"after it", []ikigai.Event{said, named(model, "The parser"), said}, "The parser"},
		{"the last", []ikigai.Event{said, named(model, "one"), named(model, "two\nthree")}, "two"},
		{"the person's last", []ikigai.Event{said, named(person, "one"), named(model, "two"), named(person, "three")}, "three"},
		{"the person's stays", []ikigai.Event{said, named(model, "one"), named(person, "two"), said, named(model, "three"), named(model, "four")}, "two"},
		{"nothing", []ikigai.Event{said, named(model, "one"), named(person, ""), named(model, " \n")}, "one"},
		{"damaged", []ikigai.Event{said, ikigai.NewEvent(ikigai.KindTitle, "one", nil), named(model, "two")}, "two"},
	} {
		for _, together := range []bool{false, true} {
			g, _ := b.begin()
			events := b.numbered(g.Session, 1, test.events)
			if together {
				b.append(g, 1, events...)
			} else {
				for _, e := range events {
					b.append(g, e.Seq-1, e)
				}
			}
			b.append(g, 1, events...) // as a journal does that is delivered once more
			if info := b.only(ikigai.SessionQuery{Prefix: string(g.Session)}); info.Title != test.want {
				t.Errorf("%s, together %t: title %q, want %q", test.name, together, info.Title, test.want)
			}
			head := events[len(events)-1].Seq
			b.namedInFork(g.Session, head, test.name, test.want)
		}
	}
	g, _ := b.begin()
	b.append(g, 1, b.numbered(g.Session, 1, []ikigai.Event{said, named(model, "The parser")})...)
	b.indexAll()
	for h, err := range b.Search(b.Context(), ikigai.SearchQuery{Words: "fix", Session: g.Session}) {
		if err != nil || h.Title != "The parser" {
			t.Errorf("hit of %q, %v", h.Title, err)
		}
	}
}

// namedInFork has a model name a fork of a session: that title counts unless a
// person gave the parent the one it has.
func (b *bench) namedInFork(parent ikigai.ID, head ikigai.Seq, name, title string) {
	b.Helper()
	g, _ := b.acquire(NewID())
	if err := b.Fork(b.Context(), g, parent, head); err != nil {
		b.Fatal(err)
	}
	want := "fork"
	if strings.HasPrefix(name, "the person's") {
		want = title
	}
	b.append(g, head, b.numbered(g.Session, head, []ikigai.Event{ikigai.NewEvent(ikigai.KindTitle, "fork", ikigai.ObjectiveData{By: ikigai.ByModel})})...)
	if info := b.only(ikigai.SessionQuery{Prefix: string(g.Session)}); info.Title != want {
		b.Errorf("%s: a fork has the title %q, want %q", name, info.Title, want)
	}
}

// numbered returns events as they follow after in a session.
func (b *bench) numbered(session ikigai.ID, after ikigai.Seq, events []ikigai.Event) []ikigai.Event {
	list := make([]ikigai.Event, len(events))
	for i, e := range events {
		list[i] = Event(session, after+ikigai.Seq(i+1), e.Kind, e.Content, nil)
		list[i].Data = e.Data
	}
	return list
}
