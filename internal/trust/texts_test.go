package trust

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

func scanTexts(t testing.TB, dir string, texts Texts) *Project {
	t.Helper()
	p, err := Scan(dir, "", texts)
	must(t, err)
	return p
}

func TestTexts(t *testing.T) {
	top := lay(t, map[string]string{
		"AGENTS.md*": "root", "a/CLAUDE.md": "-> ../b/real.md", "b/real.md": "linked", "a/.ikigai/tools/x*": "tool",
		".claude/skills/s/SKILL.md": "skill", ".claude/skills/dir/SKILL.md/x": "", "out.md": "-> /etc/hostname", ".claude/skills/loop": "-> ../../..", "large.md": strings.Repeat("x", maxSettings+1)})
	must(t, unix.Mkfifo(filepath.Join(top, "pipe.md"), 0o600))
	p := scanTexts(t, filepath.Join(top, "a"), Texts{Top: top,
		Instructions: []string{"AGENTS.md", "a/CLAUDE.md", "none.md", "out.md", "large.md", "pipe.md"},
		Skills:       []string{".claude/skills/s/SKILL.md", ".claude/skills/none/SKILL.md", ".claude/skills/dir/SKILL.md", ".claude/skills/loop/SKILL.md"}})
	if diff := cmp.Diff([]string{"instructions ../AGENTS.md", "instructions CLAUDE.md", "skill s", "tool x"}, told(p)); diff != "" {
		t.Error(diff)
	}
	// P43: what cannot be judged is passed over, and leaves the rest as it is.
	if diff := cmp.Diff([]string{
		top + "/out.md leads out of the project. Put a copy of what it points to in its place, or remove it.",
		top + "/large.md goes beyond the 256 KiB that can be judged. Make it smaller.",
		top + "/pipe.md is neither a file nor a link to a file of the project. Remove it, or put a file in its place.",
		top + "/.claude/skills/dir/SKILL.md is neither a file nor a link to a file of the project. Remove it, or put a file in its place.",
		top + "/.claude/skills/loop leads out of the project. Put a copy of what it points to in its place, or remove it.",
	}, p.Passed); diff != "" || p.Problem != "" {
		t.Error(diff, p.Problem)
	}
	// P40: what is used are the bytes that were judged.
	put(t, top, "AGENTS.md", "swapped")
	put(t, top, "b/real.md", "swapped")
	for path, want := range map[string]string{"AGENTS.md": "root", "a/CLAUDE.md": "linked", ".claude/skills/s/SKILL.md": "skill"} {
		if got, ok := p.Text(top, path); !ok || string(got) != want {
			t.Errorf("%s is %q", path, got)
		}
	}
	if _, ok := p.Text(top, "out.md"); ok {
		t.Error("what was passed over is used")
	}
}

// However much a project brings, what is read of it at each start is bounded.
func TestTextsBounded(t *testing.T) {
	files := map[string]string{"AGENTS.md": "first"}
	texts := Texts{Instructions: []string{"AGENTS.md"}}
	for i := range 40 {
		name := fmt.Sprintf("s/%02d/SKILL.md", i)
		files[name] = strings.Repeat("x", maxSettings)
		texts.Skills = append(texts.Skills, name)
	}
	texts.Top = lay(t, files)
	p := scanTexts(t, texts.Top, texts)
	if n := len(p.Items); n != maxTexts/maxSettings {
		t.Errorf("%d are read", n)
	}
	if diff := cmp.Diff([]string{texts.Top + "/s/31/SKILL.md and those after it go beyond the 8 MiB that can be judged. Make them fewer."}, p.Passed); diff != "" {
		t.Error(diff)
	}
}

// A change of a text changes the hash, and so does one that comes or goes.
func TestTextsCount(t *testing.T) {
	dir := lay(t, map[string]string{"AGENTS.md": "a", "s/SKILL.md": "b"})
	texts := Texts{Top: dir, Instructions: []string{"AGENTS.md"}, Skills: []string{"s/SKILL.md"}}
	seen := map[string]bool{}
	for i, change := range []func(){func() {}, func() { put(t, dir, "AGENTS.md", "A") }, func() { put(t, dir, "s/SKILL.md", "B") }, func() { texts.Skills = nil }} {
		change()
		sum := scanTexts(t, dir, texts).SHA256()
		if seen[sum] {
			t.Errorf("change %d changes nothing", i)
		}
		seen[sum] = true
	}
}

// Who trusts a repository is not asked again in its directories, as long as nothing
// but the texts that they have seen would act there.
func TestAround(t *testing.T) {
	top := lay(t, map[string]string{"AGENTS.md": "a", "sub/AGENTS.md": "b", ".claude/skills/s/SKILL.md": "c", "sub/x": ""})
	b := Open(filepath.Join(t.TempDir(), "trust.json"))
	sub := filepath.Join(top, "sub")
	above := Texts{Top: top, Instructions: []string{"AGENTS.md"}, Skills: []string{".claude/skills/s/SKILL.md"}}
	covered := func() bool {
		d, ok := b.Around(scanTexts(t, sub, above))
		return ok && d.Dir == top
	}
	if covered() {
		t.Error("without a decision")
	}
	must(t, b.Decide(scanTexts(t, top, above), false))
	if covered() {
		t.Error("by a refusal")
	}
	must(t, b.Decide(scanTexts(t, top, above), true))
	if !covered() {
		t.Error("not by the decision about the repository")
	}
	if _, ok := b.Around(scanTexts(t, sub, Texts{Top: top, Instructions: []string{"AGENTS.md", "sub/AGENTS.md"}})); ok {
		t.Error("with instructions that nobody has seen")
	}
	put(t, sub, ".mcp.json", "{}")
	if covered() {
		t.Error("with servers")
	}
	put(t, top, "sub/.mcp.json", "-> none")
	put(t, top, "AGENTS.md", "A")
	if covered() {
		t.Error("after a change")
	}
}
