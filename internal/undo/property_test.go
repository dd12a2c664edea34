package undo

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ikigai"
)

var sequences = flag.Int("sequences", 6, "random sequences to be tried")

// TestRandom runs random statements, undos and redos over random trees: after
// each the tree is what it was then, and the ledger step by step is the one from
// scratch. P19
func TestRandom(t *testing.T) {
	for seed := range *sequences {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r := &random{Rand: rand.New(rand.NewPCG(uint64(seed), 1)), fake: newFake(t)}
			r.populate()
			r.watch(1 << 20)
			was := []string{r.state()} // before each statement that is not taken back
			var undone []string
			for i := range 24 {
				switch n := r.IntN(10); {
				case n < 6:
					before := r.state()
					r.statement(i)
					if p, ok := r.ledger().Last(); ok && p.To == r.last() {
						was, undone = append(was[:len(was)-1], before, r.state()), nil
					}
				case n < 9 && len(was) > 1:
					if left := r.undo(); left != "" {
						t.Fatalf("left: %s", left)
					}
					undone, was = append(undone, was[len(was)-1]), was[:len(was)-1]
				case n == 9 && len(undone) > 0:
					if left := r.redo(); left != "" {
						t.Fatalf("left: %s", left)
					}
					was, undone = append(was, undone[len(undone)-1]), undone[:len(undone)-1]
				}
				if diff := cmp.Diff(strings.Split(was[len(was)-1], "\n"), strings.Split(r.state(), "\n")); diff != "" {
					t.Fatalf("after step %d (-want +got):\n%s\n%s", i, diff, strings.Join(r.done, "\n"))
				}
			}
			if len(r.notices) > 0 {
				t.Fatal(r.notices)
			}
			checkFolds(t, r.events)
		})
	}
}

// checkFolds holds the ledger step by step against the one from scratch.
func checkFolds(t *testing.T, events []ikigai.Event) {
	t.Helper()
	steps := &Ledger{}
	for i, e := range events {
		steps.Add(e)
		scratch := &Ledger{}
		for _, e := range events[:i+1] {
			scratch.Add(e)
		}
		for name, plan := range map[string]func(*Ledger) (Plan, bool){
			"last": (*Ledger).Last, "redo": (*Ledger).Redo,
			"all": func(l *Ledger) (Plan, bool) { return l.Before(1) },
		} {
			a, _ := plan(steps)
			b, _ := plan(scratch)
			if diff := cmp.Diff(a, b, cmp.AllowUnexported(File{}, trace{})); diff != "" {
				t.Fatalf("%s after event %d:\n%s", name, i+1, diff)
			}
		}
	}
}

// random makes random changes.
type random struct {
	*rand.Rand
	*fake
	done []string
}

// populate makes a repository with some files committed, some not, some ignored.
func (r *random) populate() {
	for range 8 {
		r.replace(r.dir+"/"+r.name(), r.text())
	}
	run(r.t, r.dir, `git init -q -b main . && echo '*.o' > .gitignore && git add -A && git commit -qm one && git checkout -q -b other &&
		for f in $(git ls-files | head -n 3); do echo other > "$f"; done; git commit -qam two; git checkout -q main`)
	for range 3 {
		r.replace(r.dir+"/"+r.name(), r.text())
	}
	r.replace(r.dir+"/x.o", r.text())
}

// last returns the place of the last statement.
func (r *random) last() ikigai.Seq {
	all := r.ledger().Statements()
	return all[len(all)-1].Seq
}

func (r *random) statement(i int) {
	r.say(fmt.Sprint("statement ", i))
	for range 1 + r.IntN(3) {
		if r.IntN(3) == 0 {
			name := r.name()
			if strings.Contains(run(r.t, r.dir, "test -d "+name+" && echo dir; test -L "+name+" && echo link; p=$(dirname "+name+"); test -e $p -a ! -d $p && echo file"), "i") {
				continue // file tools refuse or follow these
			}
			r.done = append(r.done, "write "+name)
			r.write(name, r.text())
			continue
		}
		command := r.command()
		r.done = append(r.done, command)
		r.shell(command)
	}
	r.done = append(r.done, "--")
}

var dirs = []string{"", "a/", "b/", "a/c/", "new/deep/"}

func (r *random) name() string {
	return dirs[r.IntN(len(dirs))] + fmt.Sprintf("f%d", r.IntN(4))
}

func (r *random) text() string {
	return strings.Repeat(fmt.Sprintf("line %d\n", r.IntN(10)), 1+r.IntN(5))
}

func (r *random) command() string {
	a, b := r.name(), r.name()
	switch r.IntN(12) {
	case 0:
		return fmt.Sprintf("mkdir -p $(dirname %s); printf '%%s' %q > %s", a, r.text(), a)
	case 1:
		return fmt.Sprintf("mkdir -p $(dirname %s); mv %s %s", b, a, b)
	case 2:
		return "rm -r " + strings.TrimSuffix(dirs[1+r.IntN(len(dirs)-1)], "/")
	case 3:
		return fmt.Sprintf("chmod %s %s", []string{"755", "644", "600", "4755", "2711", "1644"}[r.IntN(6)], a)
	case 4:
		return fmt.Sprintf("mkdir -p $(dirname %s); ln -sf f%d %s", a, r.IntN(9), a)
	case 5:
		return fmt.Sprintf("sed -i s/line/row/ %s", a)
	case 6:
		return "git checkout -qf other"
	case 7:
		return "git checkout -qf main"
	case 8:
		return fmt.Sprintf("rm -f %s; touch %s", a, b)
	case 9:
		return fmt.Sprintf("sed s/line/LINE/ %s > /tmp/x.$$ && cat /tmp/x.$$ > %s; rm -f /tmp/x.$$", a, a) // in place, of the same size
	case 10:
		return "git clean -qfdx; git add -A; git commit -qm more"
	}
	return fmt.Sprintf("cp %s %s; echo obj > y.o", a, b)
}

// TestFoldsAnything folds events in no sensible order.
func TestFoldsAnything(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	paths := []string{"/a", "/b", "c", ""}
	for range 200 {
		var events []ikigai.Event
		for seq := range ikigai.Seq(20) {
			var e ikigai.Event
			call := fmt.Sprint("call_", r.IntN(3))
			switch r.IntN(6) {
			case 0:
				e = ikigai.NewEvent(ikigai.KindUser, "s", nil)
			case 1:
				e = ikigai.NewEvent(ikigai.KindToolCall, "", ikigai.ToolCallData{ID: call})
			case 2:
				e = ikigai.NewEvent(ikigai.KindToolResult, "", ikigai.ToolResultData{ToolCallID: call, Resources: []ikigai.Resource{{URI: "/a", Changed: true, SHA256: "h"}}})
			case 3:
				e = ikigai.NewEvent(ikigai.KindUndo, "", ikigai.UndoData{Redo: r.IntN(2) == 0, Changes: []ikigai.Seq{ikigai.Seq(r.IntN(20))}})
			default:
				d := ikigai.ChangeData{Path: paths[r.IntN(len(paths))], Existed: r.IntN(2) == 0, Blob: "h", Noticed: r.IntN(2) == 0}
				if r.IntN(3) > 0 {
					d.CallID = call
				}
				if r.IntN(2) == 0 {
					d.After = &ikigai.FileState{}
				}
				e = ikigai.NewEvent(ikigai.KindChange, "", d)
			}
			e.Seq = seq + 1
			events = append(events, e)
		}
		checkFolds(t, events)
		w := &Worker{Blob: func(context.Context, string) ([]byte, error) { return nil, ikigai.ErrNotFound }}
		l := &Ledger{}
		for _, e := range events {
			l.Add(e)
		}
		if p, ok := l.Before(0); ok {
			if _, err := w.Look(context.Background(), p); err != nil {
				t.Fatal(err)
			}
		}
	}
}
