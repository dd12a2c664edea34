package knowledge

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"ikigai"
)

// lay puts files into a new directory. A content that begins with "-> " makes a
// link, a name that ends in / a directory.
func lay(t testing.TB, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	for name, content := range files {
		path := filepath.Join(dir, name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		switch target, isLink := strings.CutPrefix(content, "-> "); {
		case strings.HasSuffix(name, "/"):
			must(t, os.MkdirAll(path, 0o755))
		case isLink:
			must(t, os.Symlink(target, path))
		default:
			must(t, os.WriteFile(path, []byte(content), 0o644))
		}
	}
	return dir
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestFind(t *testing.T) {
	for _, c := range []struct {
		name         string
		files        map[string]string
		dir, top     string
		instructions []string
		skills       []string
	}{
		{name: "nothing", dir: ""},
		{name: "the nearest last, down from the repository",
			files: map[string]string{"AGENTS.md": "0", "r/.git/HEAD": "", "r/AGENTS.md": "1", "r/a/README": "", "r/a/b/AGENTS.md": "2", "r/a/b/c/AGENTS.md": "3"},
			dir:   "r/a/b", top: "r", instructions: []string{"AGENTS.md", "a/b/AGENTS.md"}},
		{name: "without a repository the directory alone", files: map[string]string{"AGENTS.md": "0", "a/AGENTS.md": "1"},
			dir: "a", top: "a", instructions: []string{"AGENTS.md"}},
		{name: "a further working tree", files: map[string]string{"w/.git": "gitdir: ../r/.git/worktrees/w", "w/AGENTS.md": "1", "w/a/": "", "AGENTS.md": "0"},
			dir: "w/a", top: "w", instructions: []string{"AGENTS.md"}},
		{name: "what other agents read, where there is no AGENTS.md",
			files: map[string]string{".git/HEAD": "", "CLAUDE.md": "x", "GEMINI.md": "x", "a/GEMINI.md": "x", "a/b/AGENTS.md": "x", "a/b/CLAUDE.md": "x"},
			dir:   "a/b", instructions: []string{"CLAUDE.md", "a/GEMINI.md", "a/b/AGENTS.md"}},
		{name: "a directory is no file", files: map[string]string{"AGENTS.md/": "", "CLAUDE.md": "x"}, instructions: []string{"CLAUDE.md"}},
		{name: "what is the person's own", files: map[string]string{".git/HEAD": "", "own/AGENTS.md": "x"}, dir: "own"},
		{name: "skills", files: map[string]string{
			".git/HEAD": "", ".claude/skills/b/SKILL.md": "x", ".claude/skills/a/SKILL.md": "x", ".claude/skills/README": "x", ".claude/skills/.hidden/SKILL.md": "x",
			".ikigai/skills/b/SKILL.md": "x", "d/.agents/skills/c/SKILL.md": "x", "d/e/.agents/skills/d/SKILL.md": "x"},
			dir:    "d",
			skills: []string{".claude/skills/a/SKILL.md", ".claude/skills/b/SKILL.md", ".ikigai/skills/b/SKILL.md", "d/.agents/skills/c/SKILL.md"}},
		{name: "skills by a link in the project", files: map[string]string{".git/HEAD": "", ".claude/skills": "-> ../.agents/skills", ".agents/skills/a/SKILL.md": "x"},
			skills: []string{".claude/skills/a/SKILL.md", ".agents/skills/a/SKILL.md"}},
		// P43
		{name: "skills by a link out of it", files: map[string]string{"r/.git/HEAD": "", "r/.claude/skills": "-> ../../s", "s/a/SKILL.md": "x"}, dir: "r", top: "r"},
	} {
		t.Run(c.name, func(t *testing.T) {
			base := lay(t, c.files)
			got := Find(filepath.Join(base, c.dir), filepath.Join(base, "own"))
			want := Place{Top: filepath.Join(base, c.top), Instructions: c.instructions, Skills: c.skills}
			if c.top == "" && len(c.files) == 0 || Repository(base) == "" && c.top == "" {
				want.Top = filepath.Join(base, c.dir)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// What a prompt takes in is bounded, cut at lines, and nothing is left out in
// silence: what is farther away gives way, what is the person's own does not.
func TestLimits(t *testing.T) {
	line := strings.Repeat("x", 1023) + "\n"
	k := Gather(Files{Own: 1, Instructions: []File{
		{"/own", []byte(strings.Repeat(line, 20))},
		{"/far", []byte(strings.Repeat(line, 30))},
		{"/near", []byte(strings.Repeat(line, 40))},
	}})
	want := []int{20<<10 - 1, 12<<10 - 1, 32<<10 - 1}
	all := 0
	for i, in := range k.Instructions {
		if len(in.Text) != want[i] {
			t.Errorf("%s has %d bytes, want %d", in.Path, len(in.Text), want[i])
		}
		all += len(in.Text)
	}
	if all > maxAll {
		t.Errorf("%d bytes in all", all)
	}
	if len(k.Problems) != 2 || !strings.HasPrefix(k.Problems[0], "/near is longer than what is told of it: 8192 bytes at its end are left out. ") {
		t.Errorf("told %q", k.Problems)
	}
	if p := k.Prompt("/"); !strings.Contains(p, "xxx\n[8192 bytes more are in the file.]") || strings.Count(p, "bytes more") != 2 {
		t.Errorf("the model is not told: …%s", p[len(p)-100:])
	}
	one := Gather(Files{Instructions: []File{{"/a", []byte(strings.Repeat("é", 20<<10))}}})
	if text := one.Instructions[0].Text; len(text) > maxInstructions || !utf8.ValidString(text) {
		t.Errorf("%d bytes of one line", len(text))
	}
}

// What is reached in two ways, by a link or in a home directory that is a repository,
// is told once, where it is nearest.
func TestGatherOnce(t *testing.T) {
	k := Gather(Files{Own: 2, Instructions: []File{{"/own", []byte("a")}, {"/empty", nil}, {"/r", []byte("b")}, {"/r/s", []byte("a")}}})
	var paths []string
	for _, i := range k.Instructions {
		paths = append(paths, i.Path)
	}
	if diff := cmp.Diff([]string{"/r", "/r/s"}, paths); diff != "" {
		t.Error(diff)
	}
}

// The person's own have their place before those of a project, also where one of them
// says nothing.
func TestOwnIsNoProject(t *testing.T) {
	full := func(c string) []byte { return []byte(strings.Repeat(strings.Repeat(c, 1023)+"\n", 32)) }
	k := Gather(Files{Own: 1, Instructions: []File{{"/own", nil}, {"/far", full("a")}, {"/near", full("b")}, {"/nearest", full("c")}}})
	if n := len(k.Instructions[0].Text); n > 10 {
		t.Errorf("%d bytes of the farthest are told", n)
	}
}

// P2, P42: paths stand in the prompt as text in one line.
func TestPathsInPrompt(t *testing.T) {
	k := Gather(Files{Instructions: []File{{"/p/a\nb\xff/AGENTS.md", []byte("x")}}, Skills: []File{skillOf("/p/c\nd\xff/SKILL.md", "---\ndescription: y\n---\n")}})
	p := k.Prompt("/p")
	if !strings.Contains(p, "[file: a␊b\ufffd/AGENTS.md]\nx") || !strings.HasSuffix(p, "\n- c d\ufffd: y (c␊d\ufffd/SKILL.md)") {
		t.Errorf("told %q", p)
	}
}

// P2: what is sent is clean text.
func TestGatherTakesText(t *testing.T) {
	k := Gather(Files{Instructions: []File{
		{"/bom", []byte("\ufeffa\x00b")}, {"/empty", []byte(" \n")}, {"/latin1", []byte("caf\xe9")},
	}})
	if len(k.Instructions) != 1 || k.Instructions[0].Text != "a\ufffdb" {
		t.Errorf("got %+v", k.Instructions)
	}
	if diff := cmp.Diff([]string{"/latin1 is not UTF-8 text, and is passed over. Save it as UTF-8."}, k.Problems); diff != "" {
		t.Error(diff)
	}
}

func skillOf(path, text string) File { return File{path, []byte(text)} }

func TestSkills(t *testing.T) {
	k := Gather(Files{Skills: []File{
		skillOf("/home/skills/review/SKILL.md", "---\nname: review\ndescription: far\n---\n"),
		skillOf("/p/.agents/skills/review/SKILL.md", "---\nname: review\ndescription: near\n---\n"),
		skillOf("/p/.agents/skills/hidden/SKILL.md", "---\ndescription: x\ndisable-model-invocation: true\n---\n"),
		skillOf("/p/.agents/skills/deploy/SKILL.md", "---\ndescription: >\n  Use it\n  to deploy.\n---\n"),
		skillOf("/p/.agents/skills/long/SKILL.md", "---\ndescription: "+strings.Repeat("é", 201)+"\n---\n"),
		skillOf("/p/none/SKILL.md", "# A skill\n"),
		skillOf("/p/undescribed/SKILL.md", "---\nname: a\n---\n"),
		skillOf("/p/list/SKILL.md", "---\nname: a\ndescription: [a]\n---\n"),
		skillOf("/p/name/SKILL.md", "---\nname: "+strings.Repeat("a", 65)+"\n---\n"),
	}})
	want := "\n\n" + skillsHead + `
- deploy: Use it to deploy. (.agents/skills/deploy/SKILL.md)
- long: ` + strings.Repeat("é", 199) + `… (.agents/skills/long/SKILL.md)
- review: near (.agents/skills/review/SKILL.md)`
	if diff := cmp.Diff(want, k.Prompt("/p")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{
		"/p/none/SKILL.md cannot be read as a skill: it does not begin with a line ---, properties, and another line ---, and is passed over. Repair its first lines.",
		"/p/undescribed/SKILL.md has no description, and is passed over. Say in `description:` when it is to be used.",
		"/p/list/SKILL.md cannot be read as a skill: description in line 3 is no plain text; put it in quotes, and is passed over. Repair its first lines.",
		"/p/name/SKILL.md has a name of more than 64 bytes, and is passed over. Give it a shorter one.",
	}, k.Problems); diff != "" {
		t.Error(diff)
	}
}

func TestManySkills(t *testing.T) {
	var files Files
	for i := range 100 {
		files.Skills = append(files.Skills, skillOf(fmt.Sprintf("/p/%02d/SKILL.md", i), "---\ndescription: "+strings.Repeat("x", 80)+"\n---\n"))
	}
	k := Gather(files)
	p := k.Prompt("/p")
	lines := strings.Split(p, "\n")
	told := len(lines) - 4
	if len(p) > maxList+200 || lines[len(lines)-1] != fmt.Sprintf("- and %d more", 100-told) || told < 30 {
		t.Errorf("%d bytes: %s", len(p), lines[len(lines)-1])
	}
	if n := slices.IndexFunc(k.Data("/p").Skills, func(s Told) bool { return s.Told == 0 }); n != told {
		t.Errorf("%d are recorded as told of, %d are", n, told)
	}
}

// The bytes that are recorded of each part are those of the prompt.
func TestDataAddsUp(t *testing.T) {
	k := Gather(Files{Instructions: []File{{"/p/AGENTS.md", []byte("Use tabs.\n")}, {"/p/a/AGENTS.md", []byte(strings.Repeat("line\n", 8<<10))}},
		Skills: []File{skillOf("/p/s/SKILL.md", "---\ndescription: x\n---\n")}})
	d := k.Data("/p")
	sum := len("\n\n"+instructionsHead) + len("\n\n"+skillsHead)
	for _, f := range d.Instructions {
		sum += len("\n\n") + f.Told
	}
	for _, f := range d.Skills {
		sum += len("\n") + f.Told
	}
	if got := len(k.Prompt("/p")); got != sum {
		t.Errorf("the prompt has %d bytes, its parts %d", got, sum)
	}
}

func TestOwn(t *testing.T) {
	dir := lay(t, map[string]string{"AGENTS.md": "Be kind.", "skills/a/SKILL.md": "x", "skills/b": "-> a", "skills/c/README": "", "skills/d": "-> AGENTS.md",
		"skills/e/SKILL.md": strings.Repeat("x", maxFile+1), "skills/f/SKILL.md/": ""})
	files, problems := Own(dir)
	var paths []string
	for _, f := range append(files.Instructions, files.Skills...) {
		paths = append(paths, strings.TrimPrefix(f.Path, dir))
	}
	if diff := cmp.Diff([]string{"/AGENTS.md", "/skills/a/SKILL.md", "/skills/b/SKILL.md"}, paths); diff != "" || files.Own != 1 {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{
		dir + "/skills/e/SKILL.md cannot be read: it has more than 256 KiB. Repair it or remove it.",
		dir + "/skills/f/SKILL.md cannot be read: it is no file. Repair it or remove it.",
	}, problems); diff != "" {
		t.Error(diff)
	}
}

func TestNested(t *testing.T) {
	dir := lay(t, map[string]string{"AGENTS.md": "0", "a/AGENTS.md": "1", "a/b/c/CLAUDE.md": "2", "a/b/c/d/x": "", "e/\n/AGENTS.md": ""})
	at := func(names ...string) (all []ikigai.Resource) {
		for _, n := range names {
			all = append(all, ikigai.Resource{URI: filepath.Join(dir, n)})
		}
		return all
	}
	n := NewNested(ikigai.Main, dir)
	var events []ikigai.Event
	steps := []struct {
		event     ikigai.Kind
		resources []ikigai.Resource
		want      string
	}{
		{resources: at("x", "../y", "AGENTS.md")},
		{resources: []ikigai.Resource{{URI: "https://example.org/a/b"}, {URI: "a/x"}}},
		{resources: at("a/b/c/d/x", "a/b/y"), want: "AGENTS.md in a applies here: read it.\nCLAUDE.md in a/b/c applies here: read it."},
		{resources: at("a/b/c/d/x", "a/z", "e/\n/f")},
		{event: ikigai.KindClear},
		{resources: at("a/AGENTS.md", "a/x")},
		{resources: at("a/b/c/x"), want: "CLAUDE.md in a/b/c applies here: read it."},
	}
	for i, s := range steps {
		if s.event != "" {
			n.Add(ikigai.NewEvent(s.event, "", nil))
			continue
		}
		got := n.Note(s.resources)
		if got != s.want {
			t.Errorf("step %d: %q, want %q", i, got, s.want)
		}
		e := ikigai.NewEvent(ikigai.KindToolResult, "", ikigai.ToolResultData{Note: "It ran.\n" + got, Resources: s.resources})
		n.Add(e)
		events = append(events, e)
		restored := NewNested(ikigai.Main, dir)
		for _, e := range events {
			restored.Add(e)
		}
		if again := restored.Note(s.resources); again != "" {
			t.Errorf("step %d: told again after a restart: %q", i, again)
		}
	}
}

// A search that comes to many directories tells of a few of them; of the others the
// model is told when it comes to them again.
func TestNestedMany(t *testing.T) {
	files := map[string]string{}
	var found []ikigai.Resource
	for i := range 2*mostTold + 1 {
		files[fmt.Sprintf("%02d/AGENTS.md", i)] = "x"
	}
	dir := lay(t, files)
	for name := range files {
		found = append(found, ikigai.Resource{URI: filepath.Join(dir, filepath.Dir(name), "f")})
	}
	n := NewNested(ikigai.Main, dir)
	for i, want := range []int{mostTold, mostTold, 1, 0} {
		if got := strings.Count(n.Note(found), applies); got != want {
			t.Errorf("result %d tells of %d, want %d", i, got, want)
		}
	}
}
