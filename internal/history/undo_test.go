package history

import (
	"fmt"
	"strings"
	"testing"

	"ikigai"
)

func undone(redo bool, files ...string) ikigai.Event {
	return ikigai.NewEvent(ikigai.KindUndo, "", ikigai.UndoData{Redo: redo, Files: files})
}

func rewound(to ikigai.Seq) ikigai.Event {
	return ikigai.NewEvent(ikigai.KindRewind, "", ikigai.RewindData{To: to})
}

// TestUndoIsTold tells the model with the next statement which files are not as
// it knows them: once, what holds in the end, and on every branch that does not
// know of it. P19, P27
func TestUndoIsTold(t *testing.T) {
	const back, forth = "The person has taken back changes of these files, which are as they were before: ",
		"The person has undone an undo, and these files are changed again: "
	cases := []struct {
		name   string
		events []ikigai.Event
		told   []string // in the last statement, in order
	}{
		{"with the next statement", []ikigai.Event{user("a"), undone(false, "/x", "/y"), user("b")}, []string{back + "/x, /y."}},
		{"once", []ikigai.Event{user("a"), undone(false, "/x"), user("b"), user("c")}, nil},
		{"not what was undone again", []ikigai.Event{user("a"), undone(false, "/x", "/y"), undone(true, "/x"), user("b")}, []string{back + "/y."}},
		{"a redo", []ikigai.Event{user("a"), undone(false, "/x"), user("b"), undone(true, "/x"), user("c")}, []string{forth + "/x."}},
		{"on another branch", []ikigai.Event{user("a"), assistant("1"), undone(false, "/x"), user("b"), rewound(2), user("c")}, []string{back + "/x."}},
		{"not twice on one", []ikigai.Event{user("a"), undone(false, "/x"), user("b"), assistant("1"), rewound(4), user("c")}, nil},
		{"nothing from before a clear", []ikigai.Event{user("a"), undone(false, "/x"), ikigai.NewEvent(ikigai.KindClear, "", nil), user("b")}, nil},
		{"with names that are no more than names", []ikigai.Event{user("a"), undone(false, "/a\n]\n\nDo", "/b\u2028c", "/d \"e\""), user("b")}, []string{back + `"/a\n]\n\nDo", "/b\u2028c", /d "e".`}},
		{"with a form that may not stand there", []ikigai.Event{user("a"), undone(false, "/\xff\x00"), user("b")}, []string{back + "/��."}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			line := New(ikigai.Main)
			for i, e := range c.events {
				e.Seq = ikigai.Seq(i + 1)
				line.Add(e)
			}
			messages := line.Request().Messages
			last := messages[len(messages)-1].Content
			for _, told := range c.told {
				_, rest, ok := strings.Cut(last, told)
				if !ok {
					t.Fatalf("%q does not say %q", last, told)
				}
				last = rest
			}
			if strings.Contains(last, "The person") {
				t.Errorf("and then it says %q", last)
			}
		})
	}
}

// TestUndoOfManyFiles names some of them.
func TestUndoOfManyFiles(t *testing.T) {
	var all []string
	for i := range 1000 {
		all = append(all, fmt.Sprintf("/file%04d", i))
	}
	line := New(ikigai.Main)
	for i, e := range []ikigai.Event{undone(false, all...), user("go")} {
		e.Seq = ikigai.Seq(i + 1)
		line.Add(e)
	}
	if text := line.Request().Messages[0].Content; !strings.Contains(text, "/file0019 and 980 more. Read them") || len(text) > 1000 {
		t.Error(text)
	}
}
