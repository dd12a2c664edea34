package editor

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ikigai/internal/tty"
)

// completer answers as a host does, with those of its words that go on from the word
// before the cursor.
func completer(before string, words ...string) Completions {
	c := Completions{From: strings.LastIndexAny(before, " \n") + 1}
	for _, w := range words {
		if strings.HasPrefix(w, before[c.From:]) {
			c.Items = append(c.Items, Completion{Text: w, About: "about " + w, More: strings.HasSuffix(w, "/")})
		}
	}
	return c
}

// typeWith types keys, and has each question answered at once. It returns the last
// event.
func typeWith(t *testing.T, e *Editor, typed string, words ...string) (last Event) {
	t.Helper()
	for _, k := range keys(t, typed) {
		if last = e.Handle(k); last == Complete {
			e.Completed(e.Before(), completer(e.Before(), words...))
		}
	}
	return last
}

func TestCompletion(t *testing.T) {
	words := []string{"@main.go", "@make/", "@make/rules", "/clear", "/compact", "/model", "small", "large"}
	for _, s := range []struct {
		typed string
		want  string
		event Event
	}{
		{"see @ma<Enter>", "see @main.go |", Changed},
		{"see @ma<Tab>", "see @main.go |", Changed},
		{"see @ma<Down><Enter>", "see @make/|", Complete},
		{"see @ma<Down><Enter><Enter>", "see @make/|", Submit},
		{"see @ma<Down><Enter><Down><Enter>", "see @make/rules |", Changed},
		{"see @ma<C-n><C-n><Tab>", "see @make/rules |", Changed},
		{"see @ma<C-p><Tab>", "see @make/rules |", Changed},
		{"see @ma<Down><S-Tab><Tab>", "see @main.go |", Changed},
		{"see @ma<Esc><Enter>", "see @ma|", Submit},
		{"see @m<Esc>a<Tab>", "see @ma|", Complete},
		{"see @ma<Esc> @ma<Enter>", "see @ma @main.go |", Changed},
		{"see @main.go<Enter>", "see @main.go|", Submit},
		{"me@ma<Enter>", "me@ma|", Submit},
		{"(@mai<Enter>", "(@mai|", Submit},
		{"/cl<Enter>", "/clear |", Complete},
		{"/cl<Enter><Enter>", "/clear |", Submit},
		{"/clear<Enter>", "/clear|", Submit},
		{"/c<Down><Tab>", "/compact |", Complete},
		{"x /cl<Enter>", "x /cl|", Submit},
		{"sm<Tab>", "small |", Complete},
		{"xx<Tab><Enter>", "xx|", Submit},
		{"see @ma<Left>", "see @m|a", Changed},
		{"see @ma<Left><Right><Enter>", "see @ma|", Submit},
	} {
		e := New(Config{})
		if event := typeWith(t, e, s.typed, words...); shown(e) != s.want || event != s.event {
			t.Errorf("typed %s: %q and event %d, want %q and %d", s.typed, shown(e), event, s.want, s.event)
		}
	}
}

// What comes by itself for an argument is not taken by Enter.
func TestNothingIsChosenForAnArgument(t *testing.T) {
	all := func(e *Editor, typed string) (event Event) {
		for _, k := range keys(t, typed) {
			if event = e.Handle(k); event == Complete {
				e.Completed(e.Before(), completer(e.Before(), "small", "large"))
			}
		}
		return event
	}
	for typed, want := range map[string]string{"<Enter>": "/model |", "<Down><Enter>": "/model small |", "<Up><Enter>": "/model large |", "<Tab>": "/model small |",
		"l": "/model l|", "l<Enter>": "/model l|", "l<Down><Enter>": "/model large |", "l<Tab>": "/model large |"} {
		e := New(Config{})
		set(e, "/model|")
		all(e, " "+typed)
		if shown(e) != want {
			t.Errorf("typed %s: %q, want %q", typed, shown(e), want)
		}
	}
}

// A lone @ or / is there to be gone on from.
func TestFirstIsChosenBehindATrigger(t *testing.T) {
	for typed, want := range map[string]string{"see @": "see @main.go |", "/": "/main.go |"} {
		e := New(Config{})
		for _, k := range keys(t, typed) {
			e.Handle(k)
		}
		e.Completed(e.Before(), Completions{From: len(typed), Items: []Completion{{Text: "main.go"}}})
		e.Handle(key(t, "Enter"))
		if shown(e) != want {
			t.Errorf("typed %s and Enter: %q, want %q", typed, shown(e), want)
		}
	}
}

// What was typed behind an @ may be no file: Enter takes one only if it is how the file
// is called.
func TestEnterTakesWhatIsNamed(t *testing.T) {
	for _, s := range []struct{ typed, item, want string }{
		{"note", "notes.txt", "@notes.txt |"},
		{"readme", "README.md", "@README.md |"},
		{"./not", "notes.txt", "@notes.txt |"},
		{"my", `"my file"`, `@"my file" |`},
		{"params.go", "src/params.go", "@src/params.go |"},
		{"param", "src/params.go", "@param|"},
		{"app.route", "src/app/router.go", "@app.route|"},
		{"param<Down>", "src/params.go", "@src/params.go |"},
		{"param<Tab>", "src/params.go", "@src/params.go |"},
	} {
		for _, before := range []string{"", "what is ", "/mine "} {
			e := New(Config{})
			for _, k := range keys(t, before+"@"+s.typed+"<Enter>") {
				if e.Handle(k) == Complete {
					e.Completed(e.Before(), Completions{From: len(before) + 1, Items: []Completion{{Text: s.item}}})
				}
			}
			if got, want := shown(e), before+s.want; got != want {
				t.Errorf("typed %s@%s and Enter: %q, want %q", before, s.typed, got, want)
			}
		}
	}
}

func TestStaleCompletionsAreDropped(t *testing.T) {
	e := New(Config{})
	set(e, "see|")
	for _, k := range keys(t, " @m") {
		e.Handle(k)
	}
	asked := e.Before()
	e.Handle(keys(t, "a")[0])
	if e.Completed(asked, completer(asked, "@main.go")) || e.list.open() {
		t.Error("a list for another text is shown")
	}
	if !e.Completed(e.Before(), completer(e.Before(), "@main.go")) || !e.list.open() {
		t.Error("the list for the text is not shown")
	}
	// Until the next one comes, those stay that go with what is typed.
	for _, k := range keys(t, "in") {
		if event := e.Handle(k); event != Complete || !e.list.open() {
			t.Errorf("typed on: event %d", event)
		}
	}
	e.Handle(keys(t, "x")[0])
	if e.list.open() {
		t.Error("a list that does not go with the text is shown")
	}
	e.Handle(key(t, "Esc"))
	e.Take()
	if e.Completed(asked, completer(asked, "@main.go")) {
		t.Error("a list is shown for what was sent")
	}
}

func TestChoiceStaysWhenTheListComesAnew(t *testing.T) {
	e := New(Config{})
	typeWith(t, e, "see @m", "@main.go", "@make", "@more")
	e.Handle(key(t, "Down"))
	e.Completed(e.Before(), completer(e.Before(), "@aha", "@main.go", "@more", "@make"))
	e.Handle(key(t, "Enter"))
	if got := shown(e); got != "see @make |" {
		t.Errorf("taken: %q", got)
	}
}

func TestListIsShown(t *testing.T) {
	e := New(Config{})
	typeWith(t, e, "/c", "/clear", "/compact")
	e.Handle(key(t, "Down"))
	want := "› /c   <- 4\n  /clear    about /clear\n› /compact  about /compact\n"
	if got := screenText(e, 40, 9); got != want {
		t.Errorf("shown:\n%swant\n%s", got, want)
	}
	if got, want := screenText(e, 20, 2), "› /c   <- 4\n› /compact  about …\n"; got != want {
		t.Errorf("with little room:\n%swant\n%s", got, want)
	}
}

// P42: what the names of files hold does nothing to the terminal.
func TestListIsClean(t *testing.T) {
	e := New(Config{})
	set(e, "see @|")
	e.Handle(keys(t, "x")[0])
	e.Completed(e.Before(), Completions{From: 4, Items: []Completion{{Text: "@x\x1b]0;t\x07\ny", About: "\x1b[2J\u202E"}}})
	lines, _, _ := e.View(60, 9)
	if got := strings.Join(lines, "|"); strings.ContainsAny(got, "\x1b\x07\n\u202E") {
		t.Errorf("shown: %q", got)
	}
}

func TestTab(t *testing.T) {
	tab := tty.Key{Code: tty.KeyTab}
	for _, s := range []struct {
		text string
		busy bool
		want Event
	}{
		{"|", false, Nothing}, {"|", true, Nothing}, {" |", true, Nothing},
		{"x|", false, Complete}, {"x|", true, Queue}, {"see @x|", true, Complete}, {"/x|", true, Complete},
	} {
		e := New(Config{})
		set(e, s.text)
		e.Busy(s.busy)
		if got := e.Handle(tab); got != s.want {
			t.Errorf("Tab in %q, busy %v: event %d, want %d", s.text, s.busy, got, s.want)
		}
	}
}

func TestEvents(t *testing.T) {
	for _, s := range []struct {
		text, typed string
		want        Event
	}{
		{"x|", "<Enter>", Submit}, {"|", "<Enter>", Nothing}, {" |\n", "<Enter>", Nothing}, {`x\|`, "<Enter>", Changed},
		{"x|", "<C-g>", EditElsewhere}, {"|", "<C-x><C-e>", EditElsewhere},
		{"x|", "<C-c>", Changed}, {"|", "<C-c>", Nothing}, {"|", "<C-d>", Nothing}, {"x|", "<C-d>", Changed},
		{"x|", "<Esc>", Nothing}, {"x|", "<C-z>", Nothing}, {"x|", "<C-l>", Nothing}, {"x|", "<C-o>", Nothing},
	} {
		e := New(Config{})
		set(e, s.text)
		var got Event
		for _, k := range keys(t, s.typed) {
			got = e.Handle(k)
		}
		if got != s.want {
			t.Errorf("%q, typed %s: event %d, want %d", s.text, s.typed, got, s.want)
		}
	}
}

// One Escape leaves the insert mode of vi, whether a list is open or not.
func TestViLeavesTheList(t *testing.T) {
	e := New(Config{Vi: true})
	typeWith(t, e, "/c<Esc>", "/clear", "/compact")
	if e.list.open() || e.Mode() != "normal" {
		t.Errorf("mode %q, list open: %v", e.Mode(), e.list.open())
	}
}

func TestReplace(t *testing.T) {
	e := New(Config{})
	set(e, "see @ma| there")
	e.Replace(4, "@main.go")
	if got := shown(e); got != "see @main.go| there" {
		t.Errorf("replaced: %q", got)
	}
	e.Handle(key(t, "C-_"))
	if got := shown(e); got != "see @ma| there" {
		t.Errorf("undone: %q", got)
	}
}

func TestSetIsUndone(t *testing.T) {
	e := New(Config{})
	set(e, "one|")
	e.Set("two\x00")
	if got := shown(e); got != "two␀|" {
		t.Errorf("set: %q", got)
	}
	e.Handle(key(t, "C-_"))
	if got := e.Text(); got != "one" || !slices.Equal(chipsIn(e.text), nil) {
		t.Errorf("undone: %q", got)
	}
}

// Where not all completions fit in, it is told how many there are besides.
func TestMoreThanAreListed(t *testing.T) {
	for n, want := range map[int]string{8: "  /x7", 9: "  … 2 more", 29: "  … 22 more"} {
		e := New(Config{})
		e.Handle(tty.Key{Rune: '/'})
		c := Completions{}
		for i := range n {
			c.Items = append(c.Items, Completion{Text: fmt.Sprint("/x", i)})
		}
		e.Completed("/", c)
		if lines, _, _ := e.View(40, 20); len(lines) != 9 || lines[8] != want {
			t.Errorf("%d completions: %q, want %q at the end", n, lines, want)
		}
	}
}
