package postgres

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ikigai"
	"ikigai/internal/dbschema"
	"ikigai/internal/storetest"
)

// found returns the contents of the events that a search finds.
func found(t *testing.T, s *Store, q ikigai.SearchQuery) []string {
	t.Helper()
	var list []string
	for h, err := range s.Search(t.Context(), q) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, h.Event.Content)
	}
	return list
}

func indexAll(t *testing.T, s *Store, batch int) {
	t.Helper()
	for left := int64(1); left > 0; {
		var err error
		if left, err = s.Catchup(t.Context(), batch); err != nil {
			t.Fatal(err)
		}
	}
}

// An append that commits after a later one was indexed is indexed all the same.
func TestIndexOfALateCommit(t *testing.T) {
	url := database(t)
	s := openAt(t, url)
	late, _ := beginSession(t, s)
	other, _ := beginSession(t, s)
	tx, err := connect(t, url).Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b := batch{grant: late, after: 1, events: []ikigai.Event{storetest.Statement(late.Session, 2, "late word")}}
	b.events[0].Time = 7000
	if done, err := b.insert(t.Context(), tx.Conn()); !done || err != nil {
		t.Fatal(done, err)
	}
	if err := s.Append(t.Context(), other, 1, storetest.Statement(other.Session, 2, "early word")); err != nil {
		t.Fatal(err)
	}
	indexAll(t, s, 10)
	if diff := cmp.Diff([]string{"early word"}, found(t, s, ikigai.SearchQuery{Words: "word"})); diff != "" {
		t.Errorf("before it commits (-want +got):\n%s", diff)
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	indexAll(t, s, 10)
	for _, q := range []ikigai.SearchQuery{{Words: "late"}, {Words: "late", Since: 7000, Until: 7001}} {
		if diff := cmp.Diff([]string{"late word"}, found(t, s, q)); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", q, diff)
		}
	}
	var gaps int
	if err := connect(t, url).QueryRow(t.Context(), "SELECT count(*) FROM search_gaps").Scan(&gaps); err != nil || gaps != 0 {
		t.Errorf("%d gaps are left, %v", gaps, err)
	}
}

// Numbers that were never used, after a jump of the counter for one, do not
// hold anything up.
func TestIndexAfterAJump(t *testing.T) {
	url := database(t)
	s := openAt(t, url)
	g, _ := beginSession(t, s)
	if err := runScript(t, url, "ALTER TABLE events ALTER n RESTART WITH 1000000000"); err != nil {
		t.Fatal(err)
	}
	if err := s.Append(t.Context(), g, 1, storetest.Statement(g.Session, 2, "word")); err != nil {
		t.Fatal(err)
	}
	indexAll(t, s, 1)
	if got := found(t, s, ikigai.SearchQuery{Words: "word"}); len(got) != 1 {
		t.Errorf("found %q", got)
	}
}

// Two machines index at once, while events come.
func TestIndexByTwo(t *testing.T) {
	url := database(t)
	const events = 300
	var all sync.WaitGroup
	writer := openAt(t, url)
	g, _ := beginSession(t, writer)
	all.Go(func() {
		for after := ikigai.Seq(1); after < events; after++ {
			if err := writer.Append(t.Context(), g, after, storetest.Statement(g.Session, after+1, fmt.Sprint("word ", after))); err != nil {
				t.Error(err)
				return
			}
		}
	})
	for range 3 {
		s := openAt(t, url)
		all.Go(func() {
			for len(found(t, s, ikigai.SearchQuery{Words: "word"})) < events-1 {
				if _, err := s.Catchup(t.Context(), 7); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	var want []string
	for after := events - 1; after > 0; after-- {
		want = append(want, fmt.Sprint("word ", after))
	}
	if diff := cmp.Diff(want, found(t, writer, ikigai.SearchQuery{Words: "word"})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The words of an event are as many as fit, whatever they are.
func TestLargeVectors(t *testing.T) {
	s := openAt(t, database(t))
	g, _ := beginSession(t, s)
	texts := []string{strings.Repeat("a ", 1<<20), strings.Repeat("ﷺ ", 1<<18), strings.Repeat("中", 1<<19)}
	var distinct strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&distinct, "w%d ", i)
	}
	var long strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&long, "%0100d%d ", i, i)
	}
	texts = append(texts, distinct.String(), long.String(), `it's 'quoted' \'escaped\' "x":*&|!<->()`)
	for i, text := range texts {
		if err := s.Append(t.Context(), g, ikigai.Seq(i+1), storetest.Statement(g.Session, ikigai.Seq(i+2), text)); err != nil {
			t.Fatal(err)
		}
	}
	indexAll(t, s, 100)
	for words, want := range map[string]string{"a": texts[0], "w1": texts[3], "escaped": texts[5]} {
		if got := found(t, s, ikigai.SearchQuery{Words: words}); len(got) != 1 || got[0] != want {
			t.Errorf("%s: %d found", words, len(got))
		}
	}
}

// Words that the index finds and that do not stand together cost nothing but
// time, and a limit counts what fits alone.
func TestPhrases(t *testing.T) {
	s := openAt(t, database(t))
	g, _ := beginSession(t, s)
	var events []ikigai.Event
	for i := range 2*searchRows + 10 {
		text := fmt.Sprintf("two one %d", i)
		if i%100 == 0 {
			text = fmt.Sprintf("one two %d", i)
		}
		events = append(events, storetest.Statement(g.Session, ikigai.Seq(i+2), text))
	}
	if err := s.Append(t.Context(), g, 1, events...); err != nil {
		t.Fatal(err)
	}
	indexAll(t, s, 1000)
	for _, test := range []struct {
		query ikigai.SearchQuery
		want  []string
	}{
		{ikigai.SearchQuery{Words: `"one two"`}, []string{"one two 400", "one two 300", "one two 200", "one two 100", "one two 0"}},
		{ikigai.SearchQuery{Words: `"one two"`, Limit: 2}, []string{"one two 400", "one two 300"}},
		{ikigai.SearchQuery{Words: `"one two 3"*`}, []string{"one two 300"}},
		{ikigai.SearchQuery{Words: "one two", Limit: 1}, []string{"two one 409"}},
	} {
		if diff := cmp.Diff(test.want, found(t, s, test.query)); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", test.query, diff)
		}
	}
}

func TestOccurs(t *testing.T) {
	term := func(prefix bool, words ...string) dbschema.Term { return dbschema.Term{Words: words, Prefix: prefix} }
	for _, test := range []struct {
		text string
		term dbschema.Term
		want bool
	}{
		{"a b c", term(false, "b", "c"), true},
		{"a b c", term(false, "a", "b"), true},
		{"a b c", term(false, "a", "c"), false},
		{"a bc", term(false, "a", "b"), false},
		{"a bc", term(true, "a", "b"), true},
		{"xa b", term(false, "a", "b"), false},
		{"", term(false, "a"), false},
	} {
		if got := occurs(test.text, test.term); got != test.want {
			t.Errorf("%v in %q: %v", test.term, test.text, got)
		}
	}
}

func TestGaps(t *testing.T) {
	for _, test := range []struct {
		upto int64
		seen []int64
		want []int64
	}{
		{0, []int64{1, 2, 3}, []int64{}},
		{0, []int64{2, 5}, []int64{1, 3, 4}},
		{4, []int64{2, 3, 6}, []int64{5}},
		{4, []int64{2, 3}, []int64{}},
	} {
		if diff := cmp.Diff(test.want, gaps(test.upto, test.seen)); diff != "" {
			t.Errorf("gaps(%d, %v) (-want +got):\n%s", test.upto, test.seen, diff)
		}
	}
	if n := len(gaps(0, []int64{1 << 40})); n != maxGap {
		t.Errorf("%d numbers of a jump", n)
	}
}
