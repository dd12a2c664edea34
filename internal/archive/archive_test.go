package archive

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ikigai"
	"ikigai/internal/blob"
)

// hostile is data that must come through byte for byte.
var hostile = []string{
	`{"a":9007199254740993,"b":1e400,"c":-0,"d":1.0,"e":0.1000000000000000055511151231257827}`,
	`{"a":1,"a":2}`,
	"{ \"z\" : 1 ,\n\t\"a\":\t[ ] }",
	"{\"a\":\r\n1}",
	` {"a":1} `,
	`{"a":"\u00e9\/\u003c"}`,
	`{"a":"<b>&amp;</b>"}`,
	"{\"a\":\"\u2028\u2029\u0085\u007f\u202e\"}",
	`{}`, `[null]`, `null`, `"text"`, `-1.50e+3`,
	`{"a":"\\\"` + strings.Repeat("0", 64) + `\""}`,
}

// sample is a store with a session, a fork of it, a fork of that fork and
// another session, with blobs that they share.
func sample(t testing.TB, to appender) (parent, fork1, fork2, other ikigai.ID) {
	parent, fork1, fork2, other = newID(), newID(), newID(), newID()
	binary := []byte{0, 1, 0xff, 0xfe, '\n'}
	events := []ikigai.Event{
		user("first \"statement\"\nwith lines \\ and \x7f\x01\x1b[31m é 𝒳 \u202e"),
		withBlob("/src/a", []byte("content of a\n")), withBlob("/src/a", binary), withBlob("/src/empty", nil),
		ikigai.NewEvent(ikigai.KindRequest, "", ikigai.RequestData{SHA256: strings.Repeat("ab", 32)}),
		user(strings.Repeat("0123456789abcdé\n", 40_000)), // longer than the buffers of reader and writer
	}
	for _, data := range hostile {
		events = append(events, raw(data))
	}
	fill(t, to, parent, events...)
	fork(t, to, fork1, parent, 4)
	fill(t, to, fork1, user("in the fork"), withBlob("/src/a", []byte("content of a\n")))
	fork(t, to, fork2, fork1, 5)
	fill(t, to, fork2, user("in the fork of the fork"))
	fork(t, to, newID(), fork2, 3) // of the first, and without events of its own
	fill(t, to, other, user("other"), withBlob("/src/b", binary))
	return
}

func write(t testing.TB, from Source, o WriteOptions, ids ...ikigai.ID) []byte {
	t.Helper()
	var b bytes.Buffer
	if _, err := Write(t.Context(), &b, from, o, ids...); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func read(t testing.TB, archive []byte, to Target, o ReadOptions) Report {
	t.Helper()
	report, err := Read(t.Context(), bytes.NewReader(archive), to, o)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func same(t testing.TB, a, b Source, ids ...ikigai.ID) {
	t.Helper()
	for _, id := range ids {
		if diff := cmp.Diff(eventsOf(t, a, id), eventsOf(t, b, id)); diff != "" {
			t.Errorf("session %s:\n%s", id, diff)
		}
		for _, e := range eventsOf(t, a, id) {
			eachHash(e.Data, func(hash string) {
				want, wantErr := a.Blob(t.Context(), hash)
				got, err := b.Blob(t.Context(), hash)
				if !errors.Is(err, wantErr) || !bytes.Equal(want, got) {
					t.Errorf("blob %s: %q, %v; want %q, %v", hash, got, err, want, wantErr)
				}
			})
		}
	}
}

func TestRoundTrip(t *testing.T) {
	from, to := newMemory(), newMemory()
	parent, fork1, fork2, other := sample(t, from)
	archive := write(t, from, WriteOptions{By: "ikigai test"})
	report := read(t, archive, to, ReadOptions{})
	if diff := cmp.Diff(from.sessions, to.sessions, cmp.AllowUnexported(kept{})); diff != "" {
		t.Error(diff)
	}
	same(t, from, to, parent, fork1, fork2, other)
	if report.Added != report.Contents.Events || report.Known != 0 || len(report.Skipped()) != 0 {
		t.Errorf("report %+v", report)
	}
	if n := bytes.Count(archive, []byte(`"line":"blob"`)); n != 3 {
		t.Errorf("%d blobs in the archive, want each of 3 once", n)
	}
	if !IsArchive(archive[:100]) {
		t.Error("the archive is not known for one")
	}

	appends := to.appends
	report = read(t, archive, to, ReadOptions{Rename: true})
	if report.Added != 0 || to.appends != appends || report.Known != report.Contents.Events {
		t.Errorf("repeated: %+v", report)
	}
	if again := write(t, to, WriteOptions{By: "ikigai test"}); len(again) != len(archive) {
		t.Errorf("written again: %d bytes, want %d", len(again), len(archive))
	}
}

// A line of an event is valid JSON with the members of ikigai.Event, whatever
// it holds.
func TestLinesAreEvents(t *testing.T) {
	from := newMemory()
	parent, _, _, _ := sample(t, from)
	var list []ikigai.Event
	for line := range bytes.Lines(write(t, from, WriteOptions{}, parent)) {
		var e ikigai.Event
		var other struct{ Line string }
		if json.Unmarshal(line, &other) != nil || json.Unmarshal(line, &e) != nil {
			t.Fatalf("line %.80q is no JSON", line)
		}
		if other.Line == "" {
			list = append(list, e)
		}
	}
	want := eventsOf(t, from, parent)
	for i := range want {
		if !embeds(want[i].Data) {
			want[i].Data = nil // is in data_text
		}
	}
	if diff := cmp.Diff(want, list); diff != "" {
		t.Error(diff)
	}
}

// A fork alone brings the part of its ancestors along that it shares.
func TestForkAlone(t *testing.T) {
	from, to := newMemory(), newMemory()
	parent, fork1, fork2, other := sample(t, from)
	read(t, write(t, from, WriteOptions{}, fork2), to, ReadOptions{})
	same(t, from, to, fork2)
	if n := len(eventsOf(t, to, parent)); n != 4 {
		t.Errorf("%d events of the first session, want the 4 that are shared", n)
	}
	if n := len(eventsOf(t, to, fork1)); n != 5 {
		t.Errorf("%d events of the fork between, want the 5 that are shared", n)
	}
	if to.sessions[other] != nil {
		t.Error("a session that was not asked for came along")
	}
	// The whole sessions, later, go on where the part ended.
	read(t, write(t, from, WriteOptions{}), to, ReadOptions{})
	same(t, from, to, parent, fork1, fork2, other)
}

// P7: an import that ends early, anywhere, is completed by repeating it.
func TestInterruptedImport(t *testing.T) {
	from := newMemory()
	parent, fork1, fork2, other := sample(t, from)
	archive := write(t, from, WriteOptions{})
	ends := []int{0, 1, 100, 1000, len(archive) / 2, len(archive) - 1}
	for i := range bytes.Count(archive, []byte("\n")) {
		ends = append(ends, nth(archive, i))
	}
	to := newMemory()
	for _, end := range ends {
		_, err := Read(t.Context(), bytes.NewReader(archive[:end]), to, ReadOptions{})
		if ikigai.KindOf(err) != ikigai.ErrorUsage {
			t.Fatalf("cut off at %d of %d: %v", end, len(archive), err)
		}
	}
	read(t, archive, to, ReadOptions{})
	same(t, from, to, parent, fork1, fork2, other)
}

// nth returns where line n, from 0, ends, its newline included.
func nth(text []byte, n int) (end int) {
	for range n + 1 {
		end += bytes.IndexByte(text[end:], '\n') + 1
	}
	return end - 1
}

func TestDamage(t *testing.T) {
	from := newMemory()
	id := newID()
	fill(t, from, id, user("one"), withBlob("/a", []byte("bytes")), user("two"))
	lines := strings.SplitAfter(string(write(t, from, WriteOptions{})), "\n")
	change := func(i int, old, new string) string {
		changed := slices.Clone(lines)
		changed[i] = strings.Replace(changed[i], old, new, 1)
		if changed[i] == lines[i] {
			t.Fatalf("line %d does not hold %s", i+1, old)
		}
		return strings.Join(changed, "")
	}
	without := func(i int) string { return strings.Join(slices.Delete(slices.Clone(lines), i, i+1), "") }
	for name, test := range map[string]struct{ archive, want string }{
		"empty":            {"", "first line does not say so"},
		"other file":       {"{}\n", "first line does not say so"},
		"newer":            {change(0, `"version":1`, `"version":2`), "version 2"},
		"changed text":     {change(3, "one", "eno"), "Line 8 of the archive is damaged: the lines before it are not"},
		"no JSON":          {change(3, "{", "("), "Line 4"},
		"other session":    {change(3, string(id), string(newID())), "Line 4"},
		"missing event":    {without(3), "Line 5 of the archive is damaged: event 3 follows event 1"},
		"missing session":  {without(1), "Line 2"},
		"blob":             {change(4, `"base64":"`, `"base64":"AAAA`), "Line 5 of the archive is damaged: a blob"},
		"unknown line":     {change(4, `"line":"blob"`, `"line":"blot"`), "kind \"blot\" is unknown"},
		"no end":           {without(len(lines) - 2), "the file ends before its last line"},
		"within a line":    {strings.TrimSuffix(strings.Join(lines, ""), "\n"), "the file ends within it"},
		"something behind": {strings.Join(lines, "") + "{}\n", "stands behind the last line"},
		"lacks kind":       {change(3, `"kind":"user"`, `"kind":""`), "lacks its ID, kind"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, err := range []error{
				second(Read(t.Context(), strings.NewReader(test.archive), newMemory(), ReadOptions{})),
				second(Check(t.Context(), strings.NewReader(test.archive))),
			} {
				var told *ikigai.Error
				if !errors.As(err, &told) || told.Kind != ikigai.ErrorUsage || !strings.Contains(err.Error(), test.want) {
					t.Errorf("%v, want %q", err, test.want)
				}
			}
		})
	}
	contents, err := Check(t.Context(), strings.NewReader(strings.Join(lines, "")))
	if want := (Contents{Sessions: 1, Events: 4, Blobs: 1}); err != nil || contents != want {
		t.Errorf("check: %+v, %v", contents, err)
	}
}

func second[T any](_ T, err error) error { return err }

// A session that goes on differently here and there.
func TestConflict(t *testing.T) {
	here, there := newMemory(), newMemory()
	id, child := newID(), newID()
	fill(t, here, id, user("common"), user("common, too"))
	read(t, write(t, here, WriteOptions{}), there, ReadOptions{})
	fill(t, here, id, user("here"), withBlob("/a", []byte("here")))
	fill(t, there, id, user("there"))
	fork(t, here, child, id, 5)
	fill(t, here, child, user("child"), withBlob("/a", []byte("here"))) // whose blob stands in the archive further up
	early, late := newID(), newID()
	fork(t, here, early, id, 2)
	fill(t, here, early, user("early"))
	fill(t, here, late, withBlob("/a", []byte("here")))
	archive := write(t, here, WriteOptions{}, id, child, early, late)

	report := read(t, archive, there, ReadOptions{})
	states := map[ikigai.ID]Outcome{}
	for _, o := range report.Outcomes {
		o.Err = nil
		states[o.Session] = o
	}
	want := map[ikigai.ID]Outcome{
		id:    {Session: id, State: Conflict, Known: 3, At: 4},
		child: {Session: child, State: Orphan},
		early: {Session: early, State: Added, Added: 1},
		late:  {Session: late, State: Added, Added: 2},
	}
	if diff := cmp.Diff(want, states); diff != "" {
		t.Error(diff)
	}
	if n := len(eventsOf(t, there, id)); n != 4 || there.sessions[child] != nil {
		t.Errorf("%d events, child %v", n, there.sessions[child])
	}
	same(t, here, there, early, late)

	for range 2 { // repeated, it finds the session that it has made
		report = read(t, archive, there, ReadOptions{Rename: true})
		as := eventsOf(t, here, id)[3].ID
		if o := report.Outcomes[0]; o.State != Conflict || o.As != as || o.At != 4 {
			t.Errorf("outcome %+v", o)
		}
		got := eventsOf(t, there, as)
		for i := range got {
			got[i].Session = id
		}
		if diff := cmp.Diff(eventsOf(t, here, id), got); diff != "" {
			t.Error(diff)
		}
		if info := there.sessions[as].info; info.Parent != id || info.Base != 3 {
			t.Errorf("%+v is no fork of %s at 3", info, id)
		}
		if info := there.sessions[child].info; info.Parent != as || info.Base != 5 {
			t.Errorf("%+v is no fork of %s at 5", info, as)
		}
		if n := len(eventsOf(t, there, id)); n != 4 {
			t.Errorf("%d events in the session that was there", n)
		}
	}
	if report.Added != 0 {
		t.Errorf("%d events added by the repetition", report.Added)
	}
}

// Two sessions of one ID that have nothing in common.
func TestNothingInCommon(t *testing.T) {
	here, there := newMemory(), newMemory()
	id := newID()
	fill(t, here, id, user("here"))
	fill(t, there, id, user("there"))
	report := read(t, write(t, here, WriteOptions{}), there, ReadOptions{Rename: true})
	as := eventsOf(t, here, id)[0].ID
	if o := report.Outcomes[0]; o.As != as || o.At != 1 || o.Added != 2 || there.sessions[as].info.Parent != "" {
		t.Errorf("outcome %+v", o)
	}
}

func TestBusy(t *testing.T) {
	from, to := newMemory(), newMemory()
	id, other := newID(), newID()
	fill(t, from, id, user("one"))
	fill(t, from, other, user("two"))
	to.busy[id] = true
	for _, run := range []func() (Report, error){
		func() (Report, error) {
			return Read(t.Context(), bytes.NewReader(write(t, from, WriteOptions{})), to, ReadOptions{})
		},
		func() (Report, error) { return Copy(t.Context(), from, to, CopyOptions{}) },
	} {
		report, err := run()
		skipped := report.Skipped()
		if err != nil || len(skipped) != 1 || skipped[0].State != Busy || !errors.Is(skipped[0].Err, ikigai.ErrBusy) {
			t.Errorf("%+v, %v", report, err)
		}
		same(t, from, to, other)
	}
	delete(to.busy, id)
	read(t, write(t, from, WriteOptions{}), to, ReadOptions{})
	same(t, from, to, id)
}

func TestUnknownSession(t *testing.T) {
	_, err := Write(t.Context(), io.Discard, newMemory(), WriteOptions{}, newID())
	if !errors.Is(err, ikigai.ErrNotFound) {
		t.Error(err)
	}
}

// P41: what is redacted is gone, in whatever form it stood there.
func TestRedact(t *testing.T) {
	const secret = "sk-0123456789abcdef"
	redact := func(s string) string { return strings.ReplaceAll(s, secret, "[redacted]") }
	from, to := newMemory(), newMemory()
	id, child, clean := newID(), newID(), newID()
	file, prompt, tail := []byte("KEY="+secret+"\n"), []byte("system prompt"), []byte{0xff, 's', 'k', '-'}
	request := func(tailBlob string) ikigai.Event {
		e := ikigai.NewEvent(ikigai.KindRequest, "", ikigai.RequestData{
			Head: []string{blob.Hash(prompt)}, Kept: 1, Tail: []byte("packed"), TailBlob: tailBlob, SHA256: strings.Repeat("ab", 32),
		})
		e.Blobs = []ikigai.Blob{{Hash: blob.Hash(prompt), Bytes: prompt}, {Hash: blob.Hash(tail), Bytes: tail}}
		return e
	}
	fill(t, from, id, request(""), user("the key is "+secret), withBlob("/env", file),
		raw(`{"b":"\u0073k-0123456789abcdef","`+secret+`":[1.0,{"x":"`+secret+`"}], "z":"\"`+secret+`\""}`),
		request(blob.Hash(tail)), raw(`{"again":"`+blob.Hash(file)+`"}`))
	fork(t, from, child, id, 4)
	fill(t, from, child, request(blob.Hash(tail)))
	fill(t, from, clean, request(""))

	archive := write(t, from, WriteOptions{Redact: redact})
	if bytes.Contains(archive, []byte(secret)) || bytes.Contains(archive, []byte(blob.Hash(tail))) {
		t.Errorf("the secret is in the archive:\n%s", archive)
	}
	report := read(t, archive, to, ReadOptions{})
	want := Contents{Sessions: 3, Events: 10, Blobs: 2, Redacted: 5, RedactedBlobs: 1, RedactedRequests: 2}
	if diff := cmp.Diff(want, report.Contents); diff != "" {
		t.Error(diff)
	}
	got := eventsOf(t, to, id)
	var change ikigai.ChangeData
	if err := got[3].DecodeData(&change); err != nil {
		t.Fatal(err)
	}
	if b := to.blobs[change.Blob]; string(b) != "KEY=[redacted]\n" {
		t.Errorf("the file is %q", b)
	}
	if want := `{"again":"` + change.Blob + `"}`; string(got[6].Data) != want {
		t.Errorf("data %s, want %s", got[6].Data, want)
	}
	const rest = `{"b":"[redacted]","[redacted]":[1.0,{"x":"[redacted]"}], "z":"\"[redacted]\""}`
	if string(got[4].Data) != rest {
		t.Errorf("data %s, want %s", got[4].Data, rest)
	}
	for _, test := range []struct {
		session ikigai.ID
		i       int
		tail    bool
	}{{id, 1, true}, {id, 5, false}, {child, 4, false}, {clean, 1, true}} {
		var d ikigai.RequestData
		if err := eventsOf(t, to, test.session)[test.i].DecodeData(&d); err != nil {
			t.Fatal(err)
		}
		if (d.Tail != nil) != test.tail || d.Kept != 1 || d.Head[0] != blob.Hash(prompt) {
			t.Errorf("request %d of %s: %+v", test.i, test.session, d)
		}
	}
}

// A fork whose past the store has other events in place of is not put behind
// those.
func TestAdderKnowsThePast(t *testing.T) {
	here, there := newMemory(), newMemory()
	id, child := newID(), newID()
	fill(t, here, id, user("here"))
	fill(t, there, id, user("there"))
	fork(t, here, child, id, 2)
	fill(t, here, child, user("child"))
	adder := NewAdder(there, ReadOptions{})
	for _, test := range []struct {
		session Session
		want    State
	}{
		{Session{ID: id}, Conflict}, {Session{ID: child, Parent: id, Base: 2}, Orphan},
	} {
		own := here.Events(t.Context(), test.session.ID, test.session.Base)
		if o, err := adder.Add(t.Context(), test.session, own); err != nil || o.State != test.want {
			t.Errorf("%+v, %v, want %s", o, err, test.want)
		}
	}
}

// An Adder imports sessions from wherever they come.
func ExampleAdder() {
	store := newMemory()
	session := Session{ID: "0192f0c1-0000-7000-8000-000000000001"}
	events := []ikigai.Event{
		{Session: session.ID, Seq: 1, ID: "0192f0c1-0000-7000-8000-000000000002", Interaction: ikigai.Main, Kind: ikigai.KindSession, Content: "/src"},
		{Session: session.ID, Seq: 2, ID: "0192f0c1-0000-7000-8000-000000000003", Interaction: ikigai.Main, Kind: ikigai.KindUser, Content: "Hello"},
	}
	for range 2 {
		outcome, err := NewAdder(store, ReadOptions{}).Add(context.Background(), session, yieldAll(events))
		fmt.Println(outcome.State, outcome.Added, outcome.Known, err)
	}
	// Output:
	// added 2 0 <nil>
	// known 0 2 <nil>
}

func yieldAll(list []ikigai.Event) events {
	return func(yield func(ikigai.Event, error) bool) {
		for _, e := range list {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// Whatever the bytes, reading them ends with an error or a store that an
// archive of it says the same of.
func FuzzRead(f *testing.F) {
	from := newMemory()
	id := newID()
	fill(f, from, id, user("one"), withBlob("/a", []byte("bytes")), raw(hostile[2]))
	fork(f, from, newID(), id, 3)
	archive := write(f, from, WriteOptions{})
	f.Add(archive)
	f.Add(archive[:len(archive)/2])
	f.Add([]byte(`{"line":"archive","format":"ikigai","version":1}` + "\n"))
	f.Fuzz(func(t *testing.T, archive []byte) {
		// The sum is put right, so that what stands before it is reached.
		if i := bytes.LastIndex(bytes.TrimSuffix(archive, []byte("\n")), []byte("\n")) + 1; bytes.Contains(archive[i:], []byte(`"end"`)) {
			var end endLine
			if json.Unmarshal(archive[i:], &end) == nil {
				sum := sha256.Sum256(archive[:i])
				end.SHA256 = hex.EncodeToString(sum[:])
				archive = appendLine(archive[:i:i], end)
			}
		}
		to := newMemory()
		report, err := Read(t.Context(), bytes.NewReader(archive), to, ReadOptions{})
		if err != nil || len(report.Skipped()) > 0 {
			return
		}
		again := newMemory()
		read(t, write(t, to, WriteOptions{}), again, ReadOptions{})
		if diff := cmp.Diff(to.sessions, again.sessions, cmp.AllowUnexported(kept{})); diff != "" {
			t.Error(diff)
		}
	})
}
