package storetest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ikigai"
)

// indexAll indexes what is not indexed.
func (b *bench) indexAll() {
	b.Helper()
	for {
		left, err := b.Catchup(b.Context(), 1000)
		if err != nil {
			b.Fatalf("catch up: %v", err)
		}
		if left == 0 {
			return
		}
	}
}

// find returns what a search finds, as "DIR SEQ".
func (b *bench) find(q ikigai.SearchQuery) []string {
	b.Helper()
	var found []string
	for h, err := range b.Search(b.Context(), q) {
		if err != nil {
			b.Fatalf("search %+v: %v", q, err)
		}
		found = append(found, fmt.Sprintf("%s %d", h.Dir, h.Event.Seq))
	}
	return found
}

// found is a store to search in: two sessions, appended to by turns.
func found(b *bench) (one, two ikigai.Grant) {
	one, _ = b.acquire(NewID())
	two, _ = b.acquire(NewID())
	first := Session(one.Session, "/one")
	first.Time = 1000
	b.append(one, 0, first)
	b.append(two, 0, Session(two.Session, "/two"))
	n := map[ikigai.ID]ikigai.Seq{one.Session: 1, two.Session: 1}
	add := func(g ikigai.Grant, kind ikigai.Kind, content string, data any) {
		n[g.Session]++
		e := Event(g.Session, n[g.Session], kind, content, data)
		e.Time = 1000 * ikigai.Micros(e.Seq)
		b.append(g, e.Seq-1, e)
	}
	call := func(name, arguments string) ikigai.ToolCallData {
		return ikigai.ToolCallData{ID: "1", Type: "function", Function: ikigai.ToolCallFunction{Name: name, Arguments: arguments}}
	}
	add(one, ikigai.KindUser, "Where is the Größe of foo.Bar computed?", nil)                                   // 2
	add(one, ikigai.KindThinking, "I should grep for it", nil)                                                  // 3
	add(one, ikigai.KindToolCall, `file_read(path="src/main.go")`, call("file_read", `{"path":"src/main.go"}`)) // 4
	add(one, ikigai.KindToolResult, "2 lines", ikigai.ToolResultData{ToolCallID: "1", Name: "file_read",
		Output: `{"output":"package\tmain\nfunc groesse"}`, Success: true, Resources: []ikigai.Resource{{URI: "/one/src/main.go"}}}) // 5
	add(one, ikigai.KindAssistant, "In main.go: the quick brown fox", nil)                                                     // 6
	add(one, ikigai.KindRequest, "secret words", ikigai.RequestData{Model: "secret", Size: 1})                                 // 7
	add(two, ikigai.KindUser, "the brown quick fox", nil)                                                                      // 2
	add(two, ikigai.KindToolCall, `bash(command="ls")`, call("bash", `{"command":"cat main.go"}`))                             // 3
	add(two, ikigai.KindChange, "/two/sub/main.go", ikigai.ChangeData{Path: "/two/sub/main.go"})                               // 4
	add(two, ikigai.KindToolResult, "x", ikigai.ToolResultData{Name: "my_file_read", Output: "plain brownish", Note: "noted"}) // 5
	add(two, ikigai.KindError, "it broke: 中文字", nil)                                                                           // 6
	return one, two
}

func search(t *testing.T, b *bench) {
	if got := b.find(ikigai.SearchQuery{Words: "anything"}); len(got) > 0 {
		t.Errorf("in an empty store: %v", got)
	}
	one, two := found(b)
	b.indexAll()
	type query = ikigai.SearchQuery
	for _, test := range []struct {
		query query
		want  string
	}{
		{query{Words: "fox"}, "/two 2, /one 6"},
		{query{Words: "FOX Quick"}, "/two 2, /one 6"},
		{query{Words: `"quick brown fox"`}, "/one 6"},
		{query{Words: `"brown fox"`}, "/one 6"},
		{query{Words: "brown"}, "/two 2, /one 6"},
		{query{Words: "brown*"}, "/two 5, /two 2, /one 6"},
		{query{Words: `"quick bro"*`}, "/one 6"},
		{query{Words: "grosse"}, ""},
		{query{Words: "Große"}, "/one 2"},
		{query{Words: "größe"}, "/one 2"},
		{query{Words: "GRÖßE"}, "/one 2"},
		{query{Words: "groß*"}, "/one 2"},
		{query{Words: "groesse"}, "/one 5"},
		{query{Words: "main"}, "/two 3, /one 6, /one 5, /one 4"},
		{query{Words: "file_read"}, "/one 4"},
		{query{Words: "foo.bar"}, "/one 2"},
		{query{Words: "bar.foo"}, ""},
		{query{Words: "package"}, "/one 5"},
		{query{Words: "noted plain"}, "/two 5"},
		{query{Words: "文字"}, "/two 6"},
		{query{Words: "字文"}, ""},
		{query{Words: "secret"}, ""},
		{query{Words: "output"}, ""},
		{query{Words: "fox", Limit: 1}, "/two 2"},
		{query{Words: "fox", Dir: "/one"}, "/one 6"},
		{query{Words: "fox", Dir: "/on"}, ""},
		{query{Words: "fox", Session: two.Session}, "/two 2"},
		{query{Words: "fox", Session: one.Session, Dir: "/two"}, ""},
		{query{Words: "main", Tool: "file_read"}, "/one 5, /one 4"},
		{query{Tool: "file_read"}, "/one 5, /one 4"},
		{query{Tool: "bash"}, "/two 3"},
		{query{Tool: "read"}, ""},
		{query{File: "main.go"}, "/two 4, /one 5, /one 4"},
		{query{File: "src/main.go"}, "/one 5, /one 4"},
		{query{File: "/one/src/main.go"}, "/one 5"},
		{query{File: "ain.go"}, ""},
		{query{File: "main"}, ""},
		{query{File: "main.go", Tool: "file_read", Dir: "/one", Words: "package"}, "/one 5"},
		{query{Words: "main", Since: 5000}, "/one 6, /one 5"},
		{query{Words: "main", Until: 5000}, "/two 3, /one 4"},
		{query{Words: "main", Since: 4000, Until: 5000}, "/one 4"},
		{query{Words: "main", Since: 1 << 60}, ""},
		{query{Words: "main", Until: 1}, ""},
		{query{Dir: "/two"}, "/two 6, /two 5, /two 4, /two 3, /two 2"},
		{query{Session: one.Session, Limit: 2}, "/one 6, /one 5"},
		{query{Limit: 3}, "/two 6, /two 5, /two 4"},
	} {
		if diff := cmp.Diff(test.want, strings.Join(b.find(test.query), ", ")); diff != "" {
			t.Errorf("search %+v (-want +got):\n%s", test.query, diff)
		}
	}
	for h, err := range b.Search(b.Context(), query{Words: "grep"}) {
		if err != nil || h.Event.Kind != ikigai.KindThinking || h.Event.Session != one.Session || h.Event.Content != "I should grep for it" ||
			h.Title != "Where is the Größe of foo.Bar computed?" || h.Dir != "/one" {
			t.Errorf("hit %+v, %v", h, err)
		}
	}
}

// What a person types is words, never a language that can go wrong.
func hostileSearch(t *testing.T, b *bench) {
	g, events := b.begin()
	for _, text := range hostile {
		e := Statement(g.Session, ikigai.Seq(len(events)+1), text)
		b.append(g, e.Seq-1, e)
		events = append(events, e)
	}
	b.indexAll()
	for name, text := range hostile {
		found := name == "blank" // finds everything, but has nothing to be found by
		for h, err := range b.Search(b.Context(), ikigai.SearchQuery{Words: text}) {
			if err != nil && ikigai.KindOf(err) != ikigai.ErrorUsage {
				t.Errorf("%s: %v", name, err)
			}
			found = found || err != nil || h.Event.Content == text
		}
		if !found {
			t.Errorf("%s: a search for the text %q does not find it", name, text)
		}
	}
	for _, words := range []string{
		"a AND", "OR", "NOT x", "NEAR(a b, 2)", "text:a", "^a", "a + b", "{a} : b", "a -b", "(((", "'", "''", "a'b", `\`, "!", "a | b", "a <-> b",
		"a:*", "%", "_", "$1", "?", "@x", "-", "--", ";", "/*", "\x00", "a\x00b", "\xff", "x:y*", "'a':B", "1e999", strings.Repeat("a", 100_000),
	} {
		for _, err := range b.Search(b.Context(), ikigai.SearchQuery{Words: words, File: words, Tool: words, Dir: words}) {
			if err != nil && ikigai.KindOf(err) != ikigai.ErrorUsage {
				t.Errorf("%.20q: %v", words, err)
			}
		}
	}
	for _, words := range []string{`"open`, "***", `""`} {
		n := 0
		for _, err := range b.Search(b.Context(), ikigai.SearchQuery{Words: words}) {
			if n++; ikigai.KindOf(err) != ikigai.ErrorUsage {
				t.Errorf("%q: %v, want an error of kind usage", words, err)
			}
		}
		if n != 1 {
			t.Errorf("%q: %d answers", words, n)
		}
	}
}

// The index follows behind, in steps of any size, and tells how far.
func catchup(t *testing.T, b *bench) {
	g, first := b.begin()
	events := b.say(g, first, 49)
	if left, err := b.Catchup(b.Context(), 0); err != nil || left != 50 {
		t.Errorf("%d left, %v; want 50", left, err)
	}
	if got := b.find(ikigai.SearchQuery{Words: "statement"}); len(got) > 0 {
		t.Errorf("found before it was indexed: %v", got)
	}
	if h := healthy(b, b.Store); h.Unindexed != 50 || h.Events != 50 {
		t.Errorf("health %+v", h)
	}
	for left := int64(50); left > 0; {
		now, err := b.Catchup(b.Context(), 7)
		if err != nil || now >= left {
			t.Fatalf("%d left after %d, %v", now, left, err)
		}
		left = now
		if got := int64(len(b.find(ikigai.SearchQuery{Words: "statement"}))); got != max(0, 50-left-1) {
			t.Errorf("%d found with %d left", got, left)
		}
	}
	b.say(g, events, 1)
	if left, err := b.another().Catchup(b.Context(), 1000); err != nil || left != 0 {
		t.Errorf("%d left, %v", left, err)
	}
	if got := b.find(ikigai.SearchQuery{Words: "statement", Limit: 1}); len(got) != 1 || got[0] != "/src 51" {
		t.Errorf("the newest: %v", got)
	}
	if h := healthy(b, b.Store); h.Unindexed != 0 || h.Index == 0 {
		t.Errorf("health %+v", h)
	}
}

// What was removed is not found, and what comes then is.
func searchAfterRemoval(t *testing.T, b *bench) {
	one, two := found(b)
	b.indexAll()
	if err := b.Remove(b.Context(), two); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(b.find(ikigai.SearchQuery{Words: "fox"}), ", "); got != "/one 6" {
		t.Errorf("found %s", got)
	}
	if got := b.find(ikigai.SearchQuery{Dir: "/two"}); len(got) > 0 {
		t.Errorf("of the removed session: %v", got)
	}
	b.append(one, 7, Statement(one.Session, 8, "another fox"))
	f, _ := b.acquire(NewID())
	if err := b.Fork(b.Context(), f, one.Session, 8); err != nil {
		t.Fatal(err)
	}
	b.append(f, 8, Statement(f.Session, 9, "a fox in the fork"))
	b.indexAll()
	if got := strings.Join(b.find(ikigai.SearchQuery{Words: "fox"}), ", "); got != "/one 9, /one 8, /one 6" {
		t.Errorf("found %s", got)
	}
	if got := strings.Join(b.find(ikigai.SearchQuery{Words: "fox", Session: f.Session}), ", "); got != "/one 9" {
		t.Errorf("found in the fork %s", got)
	}
}

// searchMany is a search over more than one would read at once, with a consumer
// that uses the store and stops.
func searchMany(t *testing.T, b *bench) {
	const sessions, each = 10, 1000
	for i := range sessions {
		g, _ := b.acquire(NewID())
		b.append(g, 0, Session(g.Session, fmt.Sprintf("/dir/%d", i)))
		batch := make([]ikigai.Event, each-1)
		for j := range batch {
			seq := ikigai.Seq(j + 2)
			batch[j] = Statement(g.Session, seq, fmt.Sprintf("common word%d number%d of %d", j%10, j, i))
			batch[j].Time = ikigai.Micros(i*each + j + 2)
		}
		b.append(g, 1, batch...)
	}
	b.indexAll()
	type query = ikigai.SearchQuery
	for _, test := range []struct {
		query query
		want  int
	}{
		{query{Words: "common"}, sessions * (each - 1)},
		{query{Words: "common", Limit: 700}, 700},
		{query{Words: "word3 common"}, sessions * 100},
		{query{Words: "number77"}, sessions},
		{query{Words: "number7*"}, sessions * 111},
		{query{Words: "common", Dir: "/dir/4"}, each - 1},
		{query{Words: `"word3 number3"`, Dir: "/dir/4"}, 1},
		{query{Words: "common", Since: 3*each + 2, Until: 4 * each}, each - 2},
		{query{Words: "number500", Since: 8 * each}, 2},
	} {
		if got := len(b.find(test.query)); got != test.want {
			t.Errorf("search %+v: %d hits, want %d", test.query, got, test.want)
		}
	}
	n, last := 0, ""
	for h, err := range b.Search(b.Context(), query{Words: "common"}) {
		if err != nil {
			t.Fatal(err)
		}
		here := fmt.Sprintf("%s %05d", h.Dir, h.Event.Seq)
		if last != "" && here >= last {
			t.Fatalf("%s after %s", here, last)
		}
		last = here
		if n++; n%500 == 0 {
			b.say(ikigai.Grant{Session: "within", Fence: 1}, b.began("within"), 1)
		}
		if n == 1700 {
			break
		}
	}
}

// began returns the events of a session, which it begins if it is not there.
func (b *bench) began(session ikigai.ID) []ikigai.Event {
	b.Helper()
	events, err := All(b.Context(), b.Store, session)
	if err != nil {
		b.Fatal(err)
	}
	if len(events) == 0 {
		g, _ := b.acquire(session)
		events = []ikigai.Event{Session(session, "/within")}
		b.append(g, 0, events...)
	}
	return events
}
