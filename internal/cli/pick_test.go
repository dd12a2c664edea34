package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ikigai"
)

// Sessions are picked by their titles and by what was said in them, with what was
// last said beside them; what others wrote does nothing to the terminal. P42
func TestPickSession(t *testing.T) {
	t.Parallel()
	p := newPlace(t, `
user: *
say: Nothing to it.
`)
	p.run(0, "run", "about apples")
	p.run(0, "run", "about pears\x1b]0;owned\x07\nand a zebra")
	p.run(0, "run", "about plums")
	s := p.types()
	s.enters("/sessions")
	s.Until("the sessions", func(screen string) bool {
		return strings.Contains(screen, "about apples") && strings.Contains(screen, "about plums") &&
			strings.Contains(screen, "test/scripted") && strings.Contains(screen, "Nothing to it.")
	})
	s.Type("zebr")
	s.Until("what was said", func(screen string) bool {
		return strings.Contains(screen, "about pears") && strings.Contains(screen, "and a zebra") && !strings.Contains(screen, "about plums")
	})
	if title := s.Format("#{pane_title}"); strings.Contains(title, "owned") {
		t.Errorf("a title of a session is that of the terminal: %q", title)
	}
	s.Send("Enter")
	s.Until("the session", func(screen string) bool {
		return strings.Contains(screen, "and a zebra") && !strings.Contains(screen, "Enter picks")
	})
	s.enters("go on")
	s.Until("the answer", func(screen string) bool { return strings.Count(screen, "Nothing to it.") == 2 && ended(screen) })
	s.leaves()
	statements := 0
	for _, e := range p.log() {
		if e.IsStatement() {
			statements++
		}
	}
	if statements != 2 {
		t.Errorf("the session that was gone on with has %d statements", statements)
	}
}

// Sessions of the directory come first, those last in which nothing was said.
func TestSessionDistance(t *testing.T) {
	l := &sessionList{dir: "/here"}
	sessions := []ikigai.SessionInfo{{ID: "other", Dir: "/there", Statements: 1}, {ID: "commit", Dir: "/here"},
		{ID: "fork", Dir: "/here", Parent: "p"}, {ID: "said", Dir: "/here", Statements: 2}}
	slices.SortStableFunc(sessions, l.nearer)
	var order []string
	for _, s := range sessions {
		order = append(order, string(s.ID))
	}
	if got := strings.Join(order, " "); got != "fork said commit other" {
		t.Errorf("the order is %s", got)
	}
}

// Statements are picked with what came of them.
func TestPickStatement(t *testing.T) {
	t.Parallel()
	p := newPlace(t, `
user: first
call: bash {"command": "true"}

reply:
call: file_write {"path": "a.txt", "content": "a"}

reply:
say: One.

user: *
say: Two.
`)
	p.run(0, "run", "first")
	p.run(0, "run", "--continue", "second")
	s := p.types("--continue")
	s.enters("/rewind")
	s.Until("the statements", func(screen string) bool {
		second, first := strings.Index(screen, "second  0 turns"), strings.Index(screen, "2 turns · changed a.txt")
		return second >= 0 && first > second
	})
	s.Type("first")
	s.Until("one of them", func(screen string) bool { return !strings.Contains(screen, "second  0 turns") })
	s.Send("Enter")
	s.Until("the place", func(screen string) bool { return strings.Contains(screen, "goes on from event") })
	s.leaves()
	if got := of(ikigai.KindRewind, p.log()); len(got) != 1 {
		t.Errorf("%d rewinds", len(got))
	}
}

// What came of a statement is told in few words.
func TestOutline(t *testing.T) {
	var o outline
	seq := ikigai.Seq(0)
	add := func(kind ikigai.Kind, content string, data any) {
		seq++
		e := ikigai.NewEvent(kind, content, data)
		e.Seq = seq
		o.Add(e)
	}
	add(ikigai.KindUser, "say", nil)
	add(ikigai.KindToolCall, "", nil)
	add(ikigai.KindToolCall, "", nil)
	for _, path := range []string{"/w/a", "/w/a", "/w/b\x1b[2J", "/x", "/w/d"} {
		add(ikigai.KindChange, path, ikigai.ChangeData{CallID: "1", Path: path})
	}
	add(ikigai.KindChange, "/w/undone", ikigai.ChangeData{Path: "/w/undone"})
	add(ikigai.KindChange, "changed 2 files", ikigai.ChangeData{CallID: "1", Noticed: true, Unrecorded: "too many", Files: 2})
	add(ikigai.KindToolResult, "", nil)
	add(ikigai.KindToolCall, "", nil)
	add(ikigai.KindUser, "more", ikigai.MessageData{By: ikigai.BySteer})
	add(ikigai.KindUser, "next", nil)
	if got, want := o.statements[1].about("/w"), "2 turns · changed a, b, /x, 1 more"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if len(o.statements) != 2 || !strings.Contains(o.statements[1].preview("/w"), "changed b\n") {
		t.Errorf("got %q of %d statements", o.statements[1].preview("/w"), len(o.statements))
	}
}

// What is typed behind an @ is a path where the @ begins a word.
func TestTypedPath(t *testing.T) {
	for before, want := range map[string]string{
		"@":               "1 ",
		"see @src/a":      "5 src/a",
		"see (@a":         "6 a",
		"see\n@a":         "5 a",
		`see @"my file`:   `5 my file`,
		`see @"my file" `: "no",
		"me@example":      "no",
		"@a b":            "no",
		"none":            "no",
		"":                "no",
	} {
		from, path, ok := typedPath(before)
		got := "no"
		if ok {
			got = string(rune('0'+from)) + " " + path
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", before, got, want)
		}
	}
}

// Paths are those that git does not ignore, of directories, too; hidden ones when
// they are asked for; with blanks in quotation marks; none that acts on a terminal.
// P42
func TestCompletePath(t *testing.T) {
	dir, home := t.TempDir(), t.TempDir()
	for _, name := range []string{"src/deep/main.go", "src/my file.txt", "my dir/x", "build/out.o", ".hidden/y", "evil\x1b[2J", "new\nline", `quo"te`, "top.go"} {
		must(t, os.MkdirAll(dir+"/"+name[:max(0, strings.LastIndexByte(name, '/'))], 0o755))
		must(t, os.WriteFile(dir+"/"+name, nil, 0o644))
	}
	must(t, os.WriteFile(dir+"/.gitignore", []byte("build/\n"), 0o644))
	must(t, os.Mkdir(dir+"/.git", 0o755))
	must(t, os.WriteFile(home+"/notes.md", nil, 0o644))
	f := &front{app: &app{Process: Process{Env: []string{"HOME=" + home}}}, at: whereabouts{dir: dir}}
	for typed, want := range map[string][]string{
		"":           {`"my dir/ more`, "src/ more", "top.go"},
		"main":       {"src/deep/main.go"},
		"my f":       {`"src/my file.txt"`},
		"./top":      {"top.go"},
		"out.o":      nil,
		".hidd":      {".hidden/ more", ".hidden/y"},
		"evil":       nil,
		"new":        nil,
		"quo":        nil,
		"~/no":       {"~/notes.md"},
		home + "/no": {home + "/notes.md"},
		"/nowhere/x": nil,
	} {
		var got []string
		for _, c := range f.completePath(t.Context(), typed) {
			if name := strings.Trim(c.Text, `"`); c.More {
				c.Text += " more"
			} else if in, err := os.Stat(c.Path); err != nil || in.IsDir() || filepath.Base(c.Path) != filepath.Base(name) {
				t.Errorf("%q: the path of %q is %q", typed, name, c.Path)
			}
			got = append(got, c.Text)
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", typed, got, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	f.paths = pathIndex{}
	_ = f.completePath(ctx, "main") // it returns, though nothing may be listed yet
}

// What is there is offered first where it was typed whole, also where it is new, ignored
// or called nearly as something else. A list that is old is made anew before it is shown.
func TestCompletePathThatIsThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		for name, text := range map[string]string{"notes.txt": "", ".gitignore": "*.o\n", "out.o": "", "src/x": ""} {
			must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
			must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
		}
		f := &front{app: &app{}, at: whereabouts{dir: dir}}
		is := func(typed string, want ...string) {
			t.Helper()
			var got []string
			for _, c := range f.completePath(t.Context(), typed) {
				got = append(got, c.Text)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%q: got %q, want %q", typed, got, want)
			}
		}
		is("note", "notes.txt")
		must(t, os.WriteFile(filepath.Join(dir, "note"), nil, 0o644))
		is("note", "note", "notes.txt")
		is("not", "notes.txt")
		is("out.o", "out.o")
		is("src", "src/", "src/x")
		is("../"+filepath.Base(dir)+"/src/x", "../"+filepath.Base(dir)+"/src/x")
		time.Sleep(stalePaths + 1)
		is("not", "note", "notes.txt")
	})
}

// What was typed of a command is completed, and then its arguments; what cannot be
// typed is not offered.
func TestCompletions(t *testing.T) {
	home := t.TempDir()
	f := &front{app: &app{Process: Process{Env: []string{"HOME=" + home}}}, at: whereabouts{dir: t.TempDir()}}
	must(t, os.WriteFile(f.at.dir+"/a.txt", nil, 0o644))
	must(t, os.WriteFile(f.at.dir+"/b\x07.txt", nil, 0o644))
	for before, want := range map[string]string{
		"/appr":          "1 approval",
		"/approval ":     "10 never ask plan deny",
		"/approval pl":   "10 plan",
		"/mark @":        "7 a.txt",
		"look at @a":     "9 a.txt",
		"look at":        "0",
		"/nonsense here": "0",
	} {
		c := f.completions(t.Context(), before)
		got := []string{}
		for _, item := range c.Items {
			got = append(got, item.Text)
		}
		line := strings.TrimSpace(fmt.Sprint(c.From, " ", strings.Join(got, " ")))
		if line != want {
			t.Errorf("%q: got %q, want %q", before, line, want)
		}
	}
}
