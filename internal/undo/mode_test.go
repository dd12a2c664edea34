package undo

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ikigai"
	"ikigai/internal/preimage"
)

// modes returns the modes of files, as Unix writes them.
func (f *fake) modes(names ...string) string {
	f.t.Helper()
	var all []string
	for _, name := range names {
		info, err := os.Lstat(filepath.Join(f.dir, name))
		must(f.t, err)
		all = append(all, fmt.Sprintf("%o", preimage.Mode(info.Mode())))
	}
	return strings.Join(all, " ")
}

// TestSpecialBits gives setuid, setgid and sticky back, and takes them away again.
func TestSpecialBits(t *testing.T) {
	for _, c := range []struct{ before, command string }{
		{"755", "chmod 4755 f"},
		{"4755", "chmod 755 f"},
		{"2755", "chmod 1644 f"},
		{"6755", "rm f"},
		{"755", "rm f; echo new > f; chmod 2700 f"},
		{"4755", "ln f other; echo new > f; chmod 700 f"},
		{"2755", "rm f; ln -s nowhere f"},
	} {
		f := newFake(t)
		f.replace(f.dir+"/f", "content")
		run(t, f.dir, "chmod "+c.before+" f")
		f.watch(1 << 20)
		was := f.state()
		f.say("go")
		f.shell(c.command)
		is := f.state()
		for range 2 {
			if left := f.undo(); left != "" || f.state() != was {
				t.Fatalf("%s, then %s, undone: left %q\n%s", c.before, c.command, left, f.state())
			}
			if left := f.redo(); left != "" || f.state() != is {
				t.Fatalf("%s, then %s, redone: left %q\n%s", c.before, c.command, left, f.state())
			}
		}
	}
}

// TestSpecialBitsOfTools gives back what a file tool lets fall.
func TestSpecialBitsOfTools(t *testing.T) {
	f := newFake(t)
	f.replace(f.dir+"/f", "one")
	run(t, f.dir, "chmod 4755 f")
	was := f.state()
	f.say("go")
	f.write("f", "two") // as file_write does it
	is := f.state()
	if left := f.undo(); left != "" || f.state() != was || f.modes("f") != "4755" {
		t.Errorf("undone: left %q\n%s", left, f.state())
	}
	if left := f.redo(); left != "" || f.state() != is {
		t.Errorf("redone: left %q\n%s", left, f.state())
	}
}

// TestSpecialBitsOfOthers leaves a file alone whose bits others have changed since.
func TestSpecialBitsOfOthers(t *testing.T) {
	f := newFake(t)
	f.replace(f.dir+"/f", "one")
	f.watch(1 << 20)
	f.say("go")
	f.shell("chmod 4755 f")
	run(t, f.dir, "chmod 6755 f")
	if left := f.undo(); left != "f: it was changed since" || f.modes("f") != "6755" {
		t.Errorf("left %q, mode %s", left, f.modes("f"))
	}
}

// TestOldLogsHaveNoSpecialBits reads the log of a version that recorded permissions
// alone: the other bits stay what they are.
func TestOldLogsHaveNoSpecialBits(t *testing.T) {
	f := newFake(t)
	for _, name := range []string{"noticed", "told", "same"} {
		f.replace(f.dir+"/"+name, "one")
	}
	run(t, f.dir, "chmod 2755 *")
	f.watch(1 << 20)
	f.say("go")
	f.shell("echo two > noticed; chmod 2755 noticed")
	f.shell("chmod 644 same")
	f.write("told", "two")
	run(t, f.dir, "chmod 2755 same told")
	for i, e := range f.events {
		if e.Kind != ikigai.KindChange {
			continue
		}
		var d ikigai.ChangeData
		must(t, e.DecodeData(&d))
		d.Mode, d.Owner = d.Mode&permissions, ""
		if d.After != nil {
			d.After.Mode &= permissions
		}
		if d.After != nil && filepath.Base(d.Path) == "same" {
			d.After.Mode = d.Mode
		}
		var err error
		f.events[i].Data, err = json.Marshal(d)
		must(t, err)
	}
	steps := f.apply(f.ledger().Last())
	if told(steps) != "" || f.modes("noticed", "same", "told") != "2755 2755 2755" || strings.Count(f.state(), `"one"`) != 3 {
		t.Errorf("%+v\n%s", steps, f.state())
	}
	if steps[1].Action != Already {
		t.Errorf("what is as it was is %s", steps[1].Action)
	}
	if left := f.redo(); left != "" || f.modes("noticed", "told") != "2755 2755" || strings.Count(f.state(), `two`) != 2 {
		t.Errorf("left %q\n%s", left, f.state())
	}
}

// TestSpecialBitsOfAnotherOwner makes nobody the owner of a file with setuid who was
// not.
func TestSpecialBitsOfAnotherOwner(t *testing.T) {
	f := newFake(t)
	f.replace(f.dir+"/f", "one")
	f.replace(f.dir+"/gone", "one")
	run(t, f.dir, "chmod 7755 f gone")
	f.watch(1 << 20)
	f.say("go")
	f.shell("chmod 755 f; rm gone")
	for i, e := range f.events { // as if somebody else had owned them
		f.events[i].Data = []byte(strings.Replace(string(e.Data), fmt.Sprintf(`"owner":"%d:`, os.Getuid()), `"owner":"99:`, 1))
	}
	steps := f.apply(f.ledger().Last())
	for _, s := range steps {
		if !strings.HasPrefix(s.Reason, "its mode is 1755, not 7755: ") {
			t.Errorf("%s: %q", s.Path, s.Reason)
		}
	}
	if len(steps) != 2 || told(steps) != "" || f.modes("f", "gone") != "1755 1755" {
		t.Errorf("%+v, modes %s", steps, f.modes("f", "gone"))
	}
	w := f.worker()
	again, ok := f.ledger().Redo()
	redo, err := w.Look(context.Background(), again)
	must(t, err)
	if !ok || told(redo) != "" {
		t.Errorf("it is not to be redone: %s", told(redo))
	}
}
