package undo

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"ikigai"
)

// missed says what the log has no events of.
func (f *fake) missed() string {
	var all []string
	for _, m := range f.ledger().Missed(0) {
		all = append(all, fmt.Sprintf("%s in %d %s", m.Tool, m.Statement, m))
	}
	return strings.Join(all, "; ")
}

// TestUnrecorded leaves an event, and tells the person, where changes have none of
// their own, and of what was only touched nothing.
func TestUnrecorded(t *testing.T) {
	const limit, utf8 = "no more than 5 changes of a call are kept", "the log takes no name that is not UTF-8"
	for _, c := range []struct {
		command       string
		recorded      int
		notice, event string
	}{
		{"rm a*", 4, "", ""},
		{"rm a* b*", 5, "A command changed 8 files, 3 of which are not recorded: " + limit + ". `ikigai undo` leaves those as they are.",
			"changed 3 files that are not recorded: " + limit},
		{"rm a* b1; echo new > c1", 5, "A command changed 6 files, 1 of which is not recorded: " + limit + ". `ikigai undo` leaves it as it is.",
			"changed 1 file that is not recorded: " + limit},
		{`echo z > $'bad\xff'`, 0, "A command changed 1 file, which is not recorded: " + utf8 + ". `ikigai undo` leaves it as it is.",
			"changed 1 file that is not recorded: " + utf8},
		{`rm a* b*; rm $'old\xff'`, 5, "A command changed 9 files, 4 of which are not recorded: " + limit + ", and " + utf8 + ". `ikigai undo` leaves those as they are.",
			"changed 4 files that are not recorded: " + limit + ", and " + utf8},
		{`touch *; chmod 644 *`, 0, "", ""},
		{`touch *; echo new > b4`, 1, "", ""},
	} {
		f := newFake(t)
		for _, name := range []string{"a1", "a2", "a3", "a4", "b1", "b2", "b3", "b4", "old\xff"} {
			f.replace(f.dir+"/"+name, "before "+name)
		}
		f.watchWith(Config{Limit: 1 << 20, changes: 5})
		f.say("one")
		f.shell("true")
		f.say("two")
		f.shell(c.command)
		event := c.event
		if event != "" {
			event = "bash in 2 " + event
		}
		if got := len(f.changes(0)); got != c.recorded || strings.Join(f.notices, "; ") != c.notice || f.missed() != event {
			t.Errorf("%s: recorded %d, told %q, missed %q", c.command, got, f.notices, f.missed())
		}
		for _, e := range f.events {
			if strings.Contains(string(e.Data), "unrecorded") && e.Content != c.event {
				t.Errorf("%s: the event says %q", c.command, e.Content)
			}
		}
		if l := f.ledger(); c.event != "" && (len(l.Missed(1)) != 1 || len(l.Missed(l.Missed(0)[0].Seq+1)) > 0) {
			t.Errorf("%s: it does not stand at its call", c.command)
		}
		checkFolds(t, f.events)
	}
}

// TestNotFound leaves an event for each call whose changes were not looked for.
func TestNotFound(t *testing.T) {
	over, cancel := context.WithDeadline(context.Background(), time.Unix(1, 0))
	defer cancel()
	f := newFake(t)
	record := func(events ...ikigai.Event) { _ = f.record(context.Background(), events...) }
	f.watch(1 << 20)
	f.say("go")

	<-f.watcher.turn // it is being looked at
	for range 2 {
		id := f.call("bash")
		after := f.watcher.Before(over, id, record)
		f.result(id)
		after(context.Background())
	}
	f.watcher.turn <- struct{}{}
	const may = " in 1 may have changed files that are not recorded: "
	want := "bash" + may + "the directory was still being looked at"
	if got := f.missed(); got != want+"; "+want || len(f.notices) != 1 {
		t.Errorf("missed %q, told %q", got, f.notices)
	}

	id := f.call("external")
	after := f.before(id)
	must(t, os.WriteFile(f.dir+"/a", nil, 0o600))
	f.result(id)
	<-f.watcher.turn
	f.watcher.look(over)
	f.watcher.turn <- struct{}{}
	after(context.Background())
	want += "; " + want + "; external" + may + "it takes too long to look at the directory"
	if got := f.missed(); got != want || len(f.changes(0)) > 0 || len(f.notices) != 2 {
		t.Errorf("missed %q, told %q", got, f.notices)
	}

	f = newFake(t)
	f.watch(1 << 20)
	f.say("go")
	id = f.call("bash")
	after = f.before(id)
	f.result(id)
	f.watcher.Close()
	after(context.Background())
	if got := f.missed(); got != "bash"+may+tooLate {
		t.Errorf("missed %q", got)
	}
}

// TestMissedAsOne tells what several looks have found of a call as one.
func TestMissedAsOne(t *testing.T) {
	f := newFake(t)
	f.say("go")
	id := f.call("bash")
	for _, m := range []Missed{{Files: 2, Why: "many"}, {Files: 3, Why: "many"}, {Why: "late"}, {Why: "late"}} {
		must(t, f.record(context.Background(), m.event(id)))
	}
	must(t, f.record(context.Background(), Missed{Files: 1, Why: "many"}.event("of no call")))
	if got, want := f.missed(), "bash in 1 changed 5 files that are not recorded: many; bash in 1 may have changed files that are not recorded: late; "+
		" in 1 changed 1 file that is not recorded: many"; got != want {
		t.Errorf("missed %q, want %q", got, want)
	}
}
