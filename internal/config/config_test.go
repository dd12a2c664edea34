package config

import (
	"os"
	"path/filepath"
	"testing"

	"ikigai"
)

// tree is a machine with a home and a working directory.
type tree struct {
	Input
	t *testing.T
}

func newTree(t *testing.T) *tree {
	root := t.TempDir()
	tr := &tree{Input{Dir: filepath.Join(root, "work"), Home: filepath.Join(root, "home")}, t}
	for _, dir := range []string{tr.Dir, tr.Home} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return tr
}

func (tr *tree) userPath() string    { return filepath.Join(tr.Home, ".config/ikigai/config.json") }
func (tr *tree) projectPath() string { return filepath.Join(tr.Dir, ".ikigai/config.json") }

func (tr *tree) write(path, content string) {
	tr.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		tr.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		tr.t.Fatal(err)
	}
}

// trusts has the project bring content as its settings.
func (tr *tree) trusts(content string) {
	tr.Project = &Project{SettingsPath: tr.projectPath(), Settings: []byte(content)}
}

func (tr *tree) load() *Settings {
	tr.t.Helper()
	s, _, err := Load(tr.Input)
	if err != nil {
		tr.t.Fatal(err)
	}
	return s
}

// parseText returns the settings of somebody whose file holds content.
func parseText(content string, environ ...string) (*Settings, error) {
	s := defaults(environ)
	s.UserFile = "/home/me/config.json"
	s.layer++
	err := s.parse(s.UserFile, []byte(content), "/home/me")
	if err == nil {
		err = s.check()
	}
	return s, err
}

func mustParse(t *testing.T, content string, environ ...string) *Settings {
	t.Helper()
	s, err := parseText(content, environ...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// wantUsage checks that err is a usage error with this text.
func wantUsage(t *testing.T, err error, text string) {
	t.Helper()
	switch {
	case err == nil:
		t.Errorf("no error; want %q", text)
	case ikigai.KindOf(err) != ikigai.ErrorUsage:
		t.Errorf("error of kind %s: %v", ikigai.KindOf(err), err)
	case err.Error() != text:
		t.Errorf("got  %s\nwant %s", err, text)
	}
}
