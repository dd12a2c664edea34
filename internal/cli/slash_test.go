package cli

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ikigai"
	"ikigai/internal/tui"
	"ikigai/internal/undo"
)

// slashScript answers whatever is said, and changes a file where it is told to.
const slashScript = `
user: Write it
say: I write it.
call: file_write {"path": "a.txt", "content": "one\ntwo\n"}

reply:
say: It is written.

user: Change it
say: I change it.
call: file_write {"path": "a.txt", "content": "one\nthree\n"}

reply:
say: It is changed.

user: *
say: So be it.
`

// lastRequest returns the body of the last request of the conversation.
func (p *place) lastRequest() string {
	all := p.server.Requests()
	return string(all[len(all)-1].Body)
}

// Every command is complete, has a name of its own and stands in its order.
func TestSlashTable(t *testing.T) {
	all := slashes()
	if !slices.IsSortedFunc(all, func(a, b slash) int { return strings.Compare(a.name, b.name) }) {
		t.Error("the commands are not sorted")
	}
	for i, c := range all {
		if c.name == "" || c.about == "" || c.run == nil || i > 0 && all[i-1].name == c.name {
			t.Errorf("command %d: %q, %q", i, c.name, c.about)
		}
	}
	for _, name := range strings.Fields(`help clear mark rewind fork diff undo redo model thinking tools tool refresh sessions resume search
		cost context goal export raw system compact commit theme display approval jobs log quit`) {
		if slashNamed(all, name) == nil {
			t.Errorf("there is no /%s", name)
		}
	}
}

// docs/terminal.md tells of every command and every key.
func TestTerminalPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/terminal.md")
	must(t, err)
	for _, c := range slashes() {
		if !strings.Contains(string(page), "| `"+strings.ReplaceAll(c.usage(), "|", `\|`)+"` | ") {
			t.Errorf("docs/terminal.md has no row for %q: %s", c.usage(), c.about)
		}
	}
	for line := range strings.Lines(tui.Keys()) {
		keys, _, _ := strings.Cut(line, "  ")
		for _, key := range strings.Split(keys, ", ") {
			if key = strings.TrimSpace(key); !strings.Contains(string(page), "`"+key+"`") {
				t.Errorf("docs/terminal.md does not tell of the key %s", key)
			}
		}
	}
}

func TestUnknownSlash(t *testing.T) {
	for _, test := range []struct{ name, want string }{
		{"modle", "There is no command /modle. Perhaps /model is meant; see /help."},
		{"usr", "There is no command /usr. See /help; to say something that begins with a slash, put a blank before it."},
		{"quiz", "There is no command /quiz. Perhaps /quit is meant; see /help."},
		{"coat", "There is no command /coat. Perhaps /cost is meant; see /help."},
		{"coda", "There is no command /coda. See /help; to say something that begins with a slash, put a blank before it."},
		{"new", "There is no command /new. Begin anew with /clear."},
		{"init", "There is no command /init. Ask the model to write an AGENTS.md."},
		{"copy", "There is no command /copy. Write the session to a file with /export, or see a request with /raw."},
		{"config", "There is no command /config. See the settings with `ikigai config show`."},
	} {
		if got := unknownSlash(test.name, slashes()).Error(); got != test.want {
			t.Errorf("%s: %s", test.name, got)
		}
	}
	for _, c := range slashes() {
		if byHabit(c.name) != "" {
			t.Errorf("/%s is a command of our own", c.name)
		}
	}
}

// What begins with a path is said, not done.
func TestIsCommand(t *testing.T) {
	for text, want := range map[string]bool{
		"/help": true, "/git:what now": true, "/export html /tmp/x": true, "/": true, "!ls /": true, "!!": true, "/tmp\n/x": true,
		"/home/me/x is wrong": false, "// is a comment": false, " /help": false, "help": false, "": false,
	} {
		if isCommand(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}

func TestParseUndo(t *testing.T) {
	for _, test := range []struct {
		args string
		redo bool
		want undoOptions
		bad  bool
	}{
		{"", false, undoOptions{}, false},
		{"--to 3 --dry-run", false, undoOptions{to: "3", dryRun: true}, false},
		{"--to=#7", false, undoOptions{to: "#7"}, false},
		{"--dry-run", true, undoOptions{redo: true, dryRun: true}, false},
		{"--to 3", true, undoOptions{}, true},
		{"3", false, undoOptions{}, true},
		{"--to", false, undoOptions{}, true},
	} {
		got, err := parseUndo(undoOptions{redo: test.redo}, test.args)
		if (err != nil) != test.bad || err == nil && got != test.want {
			t.Errorf("%q: %+v, %v", test.args, got, err)
		}
	}
}

func TestExportOptions(t *testing.T) {
	f := &front{app: &app{dir: "/w"}}
	for _, test := range []struct{ args, format, out string }{
		{"", "markdown", "/w/ikigai-01a1f9ef.md"},
		{"html", "html", "/w/ikigai-01a1f9ef.html"},
		{"jsonl", "jsonl", "/w/ikigai-01a1f9ef.jsonl"},
		{"atif sub/x y.json", "atif", "/w/sub/x y.json"},
		{"page.html", "html", "/w/page.html"},
		{"/tmp/notes.md", "markdown", "/tmp/notes.md"},
		{"picture.png", "", ""},
		{"hmtl", "", ""},
		{"hmtl page.html", "", ""},
		{"foo", "", ""},
		{"./foo", "markdown", "/w/foo"},
		{"my notes.html", "html", "/w/my notes.html"},
	} {
		o, err := f.exportOptions("01a1f9ef-60c7", test.args)
		if (err != nil) != (test.out == "") || err == nil && (o.format != test.format || o.out != test.out) {
			t.Errorf("%q: %q, %q, %v", test.args, o.format, o.out, err)
		}
	}
}

// A file that is there is never replaced, and another name is given.
func TestExportLeavesFiles(t *testing.T) {
	f := &front{app: &app{dir: t.TempDir()}}
	for _, name := range []string{"notes.md", "notes-2.md", "ikigai-01a1f9ef.md"} {
		must(t, os.WriteFile(filepath.Join(f.dir, name), nil, 0o644))
	}
	for args, want := range map[string]string{
		"":           "/export markdown " + f.dir + "/ikigai-01a1f9ef-2.md.",
		"markdown .": "/export markdown " + f.dir + "/ikigai-01a1f9ef-2.md.",
		"notes.md":   "/export markdown " + f.dir + "/notes-3.md.",
		"other.md":   "",
		"html":       "",
		"atif a.md":  "",
	} {
		o, err := f.exportOptions("01a1f9ef-60c7", args)
		must(t, err)
		if err := notThere(o); (err == nil) != (want == "") || err != nil && !strings.HasSuffix(err.Error(), want) {
			t.Errorf("/export %s: %v", args, err)
		}
	}
}

// What cannot go with the first statement is said before there is a front.
func TestAttachable(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "there.txt"), []byte("text"), 0o644))
	a := &app{dir: dir}
	for path, want := range map[string]string{
		filepath.Join(dir, "there.txt"): "",
		filepath.Join(dir, "nosuch"):    "cannot be attached",
		dir:                             "is a directory",
		"-":                             "it is the terminal",
	} {
		var e *ikigai.Error
		err := a.attachable([]string{path})
		if (err == nil) != (want == "") || err != nil && (!errors.As(err, &e) || e.Kind != ikigai.ErrorUsage || !strings.Contains(e.What, want)) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// What was changed beside every statement is what the person ran.
func TestUndoTitle(t *testing.T) {
	if got := undoTitle(&past{}, undo.Plan{}, nil, true); !strings.HasSuffix(got, "of what you ran with !") {
		t.Error(got)
	}
}

// A command that wants no words, or cannot do without, says so before anything is
// done.
func TestSlashArguments(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop() // nothing is opened
	f := &front{app: &app{}, ready: make(chan struct{})}
	for _, c := range slashes() {
		args := "x y"
		switch {
		case c.args == "":
		case strings.HasPrefix(c.args, "["):
			continue
		default:
			args = ""
		}
		var e *ikigai.Error
		if err := c.do(ctx, f, args); !errors.As(err, &e) || e.Kind != ikigai.ErrorUsage || e.What == "" || e.Do == "" || strings.Contains(e.What, `""`) {
			t.Errorf("/%s %s: %v", c.name, args, err)
		}
	}
}

// Places of a session: marked, gone back to, gone on from in a copy; and what was
// changed in files taken back, with the difference shown.
func TestSlashPlaces(t *testing.T) {
	t.Parallel()
	p := newPlace(t, slashScript)
	s := p.types()
	s.says("/rewind 3", "Nothing has been said in this session yet")
	s.says("/diff", "No file differs from what it was.")
	s.says("Write it", "It is written.")
	s.says("/mark written", `is marked "written"`)
	s.says("Change it", "It is changed.")
	s.reads("/diff", "+three")
	s.reads("/diff 2", "-two")
	s.says("/undo --dry-run", "without --dry-run it will be")
	s.file("a.txt", "one\nthree\n")
	s.says("/undo", "/redo brings them back.")
	s.file("a.txt", "one\ntwo\n")
	s.WaitFor("-three")
	s.says("/redo", "/undo takes them back again.")
	s.file("a.txt", "one\nthree\n")

	s.says("/rewind nowhere", "The session has no mark nowhere. Its marks are: written.")
	s.says("/rewind written", "1 statement is no longer part of it")
	s.says("And now?", "So be it.")
	if body := p.lastRequest(); strings.Contains(body, "Change it") || !strings.Contains(body, "Write it") {
		t.Errorf("after the rewind was sent: %s", body)
	}

	s.enters("/fork")
	s.WaitFor("Go on in a copy from before which statement?")
	s.Type("Write")
	s.Until("one is left", func(screen string) bool { return !strings.Contains(screen, "And now?  ") })
	s.Send("Enter")
	s.WaitFor("This is a copy now.")
	s.says("In the copy", "So be it.")
	if body := p.lastRequest(); strings.Contains(body, "Write it") {
		t.Errorf("the copy sent: %s", body)
	}
	s.says("/clear", "begins anew")
	s.says("Afresh", "So be it.")
	if body := p.lastRequest(); strings.Contains(body, "In the copy") {
		t.Errorf("after /clear was sent: %s", body)
	}
	s.leaves()
}

// What only tells changes nothing, and shows what it is asked for.
func TestSlashTells(t *testing.T) {
	t.Parallel()
	p := newPlace(t, slashScript)
	s := p.types()
	s.reads("/context", "environment")
	s.says("/goal Ship the parser", "once you have said something")
	s.says("Write it", "It is written.")
	s.says("/cost", "main")
	s.Until("which command it was", func(screen string) bool { return strings.Contains(screen, "\n\n/cost\n") })
	s.says("/goal", "Ship the parser (person)")
	s.says("/goal Ship it today", "goal: Ship it today")
	s.reads("/tools", "1: 1 ok, 0 failed")
	s.reads("/tool file_write", "used: 1: 1 ok, 0 failed")
	s.says("/tool nothing", "No tool is named nothing. See /tools.")
	s.says("/refresh", "none of them new")
	s.says("/jobs", "No command runs in the background.")
	s.reads("/context", "Write it")
	s.reads("/system", "system prompt, as it was recorded")
	s.reads("/log", "I write it.")
	s.reads("/log -v", "request to test/scripted")
	s.reads("/help", "/thinking LEVEL")
	s.says("/help mark", "A name that is given again moves.")
	s.says("/modle", "Perhaps /model is meant")
	s.WaitFor("› /modle")
	s.Send("C-c") // the line was given back
	s.says("/quit now", "/quit takes nothing behind it")
	s.says("/display", "The display is compact from here on.")
	s.says("/theme mono", "The theme is mono from here on.")
	s.says("/theme pink", "There is no theme pink")
	s.says("/export html", "The session is in")
	if all, _ := filepath.Glob(p.file("ikigai-*.html")); len(all) != 1 {
		t.Errorf("files: %q", all)
	}
	s.leaves()
}

// A request is shown exactly as it was sent: the same bytes, by their hash.
//
// S2.46
func TestSlashRaw(t *testing.T) {
	t.Parallel()
	p := newPlace(t, slashScript)
	s := p.types()
	s.says("/raw", "No request was sent in this session yet")
	s.says("Write it", "It is written.")
	sent := p.server.Requests()
	sum := func(n int) string { return fmt.Sprintf("%x", sha256.Sum256(sent[n].Body))[:24] }
	s.reads("/raw", sum(len(sent)-1))
	s.reads("/raw 1", sum(0))
	s.reads("/raw 1", `"model": "scripted"`)
	s.reads("/raw #4", "as it was recorded")
	s.says("/raw 7", "The session has no request 7, it has 2")
	s.says("/raw x", "names no request")
	s.leaves()
}

// Another model is asked from the next statement on, and the conversation goes on.
func TestSlashModel(t *testing.T) {
	t.Parallel()
	p := newPlace(t, slashScript)
	s := p.types()
	s.says("Write it", "It is written.")
	s.says("/model nobody/x", "! No vendor is called")
	s.says("/model test/other", "The model is test/other from here on.")
	s.says("And now?", "So be it.")
	if body := p.lastRequest(); !strings.Contains(body, `"model":"other"`) || !strings.Contains(body, "Write it") {
		t.Errorf("the other model was sent: %s", body)
	}
	s.says("/thinking much", "is no level of thinking")
	s.says("/thinking low", "test/other:low from here on")
	s.enters("/model")
	s.WaitFor("Go on with which model?")
	s.Until("the model in force", func(screen string) bool { return strings.Contains(unbroken(screen), "test/otherinforce") })
	listed := func(marked bool) {
		s.Type("anthropic/claude-opus")
		s.Until("models of anthropic", func(screen string) bool {
			i := strings.Index(screen, "  anthropic/claude-opus")
			return i >= 0 && strings.Contains(screen[i:], "no key at hand") == marked
		})
		s.escapes("Go on with which model?")
	}
	listed(true)
	keys := filepath.Join(p.root, "home", ".config", "ikigai", "keys.json")
	must(t, os.MkdirAll(filepath.Dir(keys), 0o700))
	must(t, os.WriteFile(keys, []byte(`{"anthropic":"sk-ant-1"}`), 0o600))
	s.enters("/model")
	s.WaitFor("Go on with which model?")
	listed(false)
	s.leaves()
	if events := p.log(); !slices.ContainsFunc(events, func(e ikigai.Event) bool {
		return e.Kind == ikigai.KindRequest && strings.Contains(string(e.Data), `"test/other"`)
	}) {
		t.Error("the log does not say that the other model was asked")
	}
}

// Where no model is set, none is in force among those to choose from.
func TestPickTheFirstModel(t *testing.T) {
	t.Parallel()
	p := newPlace(t, talkScript)
	must(t, os.WriteFile(filepath.Join(p.root, "home", ".config", "ikigai", "config.json"), []byte(`{}`), 0o600))
	s := p.talk()
	s.enters("/model")
	s.WaitFor("no key at hand")
	if screen := s.Screen.Screen(); !strings.Contains(screen, "Go on with which model?") || strings.Contains(screen, "in force") || strings.Contains(screen, noModel) {
		t.Errorf("the screen is\n%s", screen)
	}
	s.escapes("Go on with which model?")
	s.leaves()
}

// While no model can be asked, and nothing has been said, commands do what they can
// or say why not, and leave nothing in the log.
func TestSlashUnasked(t *testing.T) {
	t.Parallel()
	p := newPlace(t, slashScript)
	s := p.typesOn(100, "no vendor is called", "--model", "nobody/x")
	s.says("/cost", "main")
	s.enters("/thinking low")
	s.Until("why not, again", func(screen string) bool { return strings.Count(screen, "no vendor is called") == 2 })
	s.reads("/tools", "file_write")
	s.reads("/context", "environment")
	s.says("/export", "Nothing has been said in this session yet")
	s.says("/goal Ship it", "once you have said something")
	s.says("/model test/other", "The model is test/other from here on.")
	s.says("/thinking low", "test/other:low from here on")
	s.leaves()
	if entries, err := filepath.Glob(p.file("*")); err != nil || len(entries) > 0 {
		t.Errorf("there are the files %q, %v", entries, err)
	}
	if listed := p.run(exitAnswered, "sessions", "--all").out.String(); listed != "" {
		t.Errorf("the log holds %s", listed)
	}
}

// Sessions are left and gone on with.
func TestSlashSessions(t *testing.T) {
	t.Parallel()
	p := newPlace(t, slashScript)
	p.run(exitAnswered, "run", "Write it")
	first := p.log()[0].Session
	s := p.types()
	s.says("A second one", "So be it.")
	s.says("/resume zzz", "There is no session zzz")
	s.says("/resume "+string(first), "It is written.")
	s.says("Gone on", "So be it.")
	if body := p.lastRequest(); !strings.Contains(body, "Write it") || strings.Contains(body, "A second one") {
		t.Errorf("the resumed session sent: %s", body)
	}
	s.enters("/sessions")
	s.WaitFor("Go on with which session?")
	s.Type("second")
	s.Until("one is left", func(screen string) bool { return strings.Contains(screen, "1 of 2") })
	s.Send("Enter")
	s.Until("the second session", func(screen string) bool {
		return !strings.Contains(screen, "1 of 2") && strings.Contains(screen, "› A second one")
	})
	s.says("/search written", "Found: written")
	s.Send("Enter")
	s.WaitFor("goes on with it")
	s.Send("q")
	s.WaitFor("Found: written")
	s.escapes("Found: written")
	s.says("/search nowherefound", "Nothing was found")
	s.leaves()
}

// A commit is made with the message that the model wrote and the person agreed to,
// and what cannot be made smaller is said to be that.
func TestSlashCommit(t *testing.T) {
	t.Parallel()
	p := newPlace(t, slashScript+"\nside: commit\nsay: add a.txt\n")
	git := func(args ...string) string {
		cmd := p.command()
		run := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.org"}, args...)...)
		run.Dir, run.Env = p.work, cmd.Env
		out, err := run.CombinedOutput()
		if err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
		return string(out)
	}
	git("init", "-q")
	git("config", "user.name", "a")
	git("config", "user.email", "a@example.org")
	s := p.types()
	s.says("/commit", "Nothing is staged")
	s.says("Write it", "It is written.")
	git("add", "a.txt")
	s.says("/commit as agreed", "Commit with this message?")
	s.WaitFor("y yes")
	if screen := s.Screen.Screen(); !strings.Contains(screen, "/commit as agreed\n a.txt (new) | 2 ++\n 1 file changed, 2 insertions(+)\n\n    add a.txt\n\nCommit with this message?") {
		t.Errorf("the command, the files and the message do not stand there, each once:\n%s", screen)
	}
	s.Send("n")
	s.WaitFor("Nothing was committed")
	s.says("/commit as agreed", "Commit with this message?")
	s.WaitFor("y yes")
	s.Send("y")
	s.Until("the front after what Git has told", func(screen string) bool {
		_, after, told := strings.Cut(screen, "create mode")
		return told && strings.Contains(after, "›")
	})
	if got := git("log", "--format=%s"); got != "add a.txt\n" {
		t.Errorf("the log of Git: %q", got)
	}
	s.says("/compact", "cannot take noticeably less room")
	s.leaves()
}
