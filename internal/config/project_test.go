package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Keys, and tools that nobody has judged, stay out of a project's settings even
// when these are trusted. In the person's own all of it may stand.
func TestWhatAProjectMayNotSet(t *testing.T) {
	const key = "sk-proj-0123456789abcdefghij0123456789"
	for setting, want := range map[string]string{
		`"allow": ["bash"]`:                                            "allow cannot stand in a project's settings. Put it into your own settings.",
		`"editor": "evil"`:                                             "editor cannot stand in a project's settings. Put it into your own settings.",
		`"toolboxes": ["../bin"]`:                                      "toolboxes cannot stand in a project's settings. Put the tools into .ikigai/tools.",
		`"database": "postgres://me:pw@h/d"`:                           "database cannot stand in a project's settings: keys do not belong there. Put the database with its password into your own settings, or the key into the environment.",
		`"vendors": {"x": {"key_cmd": "pass x"}}`:                      "vendors.x.key_cmd cannot stand in a project's settings: keys do not belong there. Put key_cmd into your own settings, or the key into the environment.",
		`"vendors": {"x": {"headers": {"authorization": "Bearer x"}}}`: "vendors.x.headers.authorization cannot stand in a project's settings: keys do not belong there. Put the header into your own settings, or the key into the environment.",
		`"vendors": {"x": {"headers": {"X-Title": "` + key + `"}}}`:    "vendors.x.headers.X-Title cannot stand in a project's settings: keys do not belong there. Put what looks like a key into your own settings, or the key into the environment.",
		`"vendors": {"x": {"body": {"k": {"l": "` + key + `"}}}}`:      "vendors.x.body.k cannot stand in a project's settings: keys do not belong there. Put what looks like a key into your own settings, or the key into the environment.",
	} {
		tr := newTree(t)
		tr.trusts("{" + setting + "}")
		_, notices, err := Load(tr.Input)
		if want += " Until then none of the project's settings are used."; err != nil || len(notices) != 1 ||
			!strings.HasSuffix(notices[0].Text, ": "+want) || strings.Contains(notices[0].Text, key) {
			t.Errorf("%s: %v, %v", setting, notices, err)
		}
		tr = newTree(t)
		tr.write(tr.userPath(), "{"+setting+"}")
		tr.load()
	}
	tr := newTree(t)
	tr.trusts(`{"vendors": {"x": {"base_url": "https://x", "key_env": "X_KEY", "headers": {"X-Title": "t"}}}, "database": "~/p.db",
		"mcpServers": {"m": {"command": "x", "env": {"KEY": "` + key + `"}}}}`)
	tr.load()
}

// The person's servers come first, then those of the project's settings, then
// those of .mcp.json.
func TestServersOfSeveralFiles(t *testing.T) {
	tr := newTree(t)
	tr.write(tr.userPath(), `{"mcpServers": {"a": {"command": "mine"}}}`)
	tr.trusts(`{"mcpServers": {"a": {"command": "theirs"}, "b": {"command": "theirs", "cwd": "sub"}}}`)
	tr.Project.ServersPath = tr.Dir + "/.mcp.json"
	tr.Project.Servers = []byte(`{"other": 1, "mcpServers": {"a": {"command": "last"}, "b": {"command": "last"}, "c": {"command": "last", "cwd": "sub"}}}`)
	s := tr.load()
	got := map[string]string{}
	for name, m := range s.MCPServers {
		got[name] = m.Command + " " + m.Cwd + " " + s.Origin("mcpServers."+name)
	}
	want := map[string]string{
		"a": "mine  " + tr.userPath() + ":1",
		"b": "theirs " + tr.Dir + "/sub " + tr.projectPath() + ":1",
		"c": "last " + tr.Dir + "/sub " + tr.Dir + "/.mcp.json:1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A fault in .mcp.json, which is written for other agents, too, stops nothing.
func TestFaultsOfServersFile(t *testing.T) {
	for content, want := range map[string]struct{ servers, notice string }{
		`{"mcpServers": {"bad": {"comand": "x"}, "good": {"command": "x"}}}`: {"good", `/.mcp.json:1:25: no setting is called mcpServers.bad.comand. Perhaps command is meant. Until then it is passed over.`},
		`{"mcpServers": []}`: {"", `/.mcp.json:1:16: mcpServers is a list. Write an object, such as {}. Until then it is passed over.`},
		`[]`:                 {"", `/.mcp.json:1:1: the file holds a list. Write an object, such as {}. Until then it is passed over.`},
		`{`:                  {"", `/.mcp.json:2:1: the file is not valid JSON: parsing value: unexpected EOF. Correct it there or just before. Until then it is passed over.`},
		``:                   {"", ""},
	} {
		tr := newTree(t)
		tr.Project = &Project{ServersPath: tr.Dir + "/.mcp.json", Servers: []byte(content)}
		s, notices, err := Load(tr.Input)
		if err != nil {
			t.Fatalf("%s: %v", content, err)
		}
		var got []string
		for _, n := range notices {
			got = append(got, strings.TrimPrefix(n.Text, tr.Dir))
		}
		var servers []string
		for name := range s.MCPServers {
			servers = append(servers, name)
		}
		if strings.Join(got, "|") != want.notice || strings.Join(servers, ",") != want.servers {
			t.Errorf("%s: servers %v, notices %q", content, servers, got)
		}
	}
}

// A fault in a project's settings stops nothing, and nothing of them is used: half
// of a file is what nobody has judged.
func TestFaultOfProjectSettings(t *testing.T) {
	tr := newTree(t)
	tr.trusts(`{"model": "openai/theirs", "nonsense": 1}`)
	s, notices, err := Load(tr.Input)
	if err != nil || len(notices) != 1 || !strings.Contains(notices[0].Text, "no setting is called nonsense") {
		t.Fatalf("%v, %v", notices, err)
	}
	if s.Model == "openai/theirs" {
		t.Error("half of the file is used")
	}
	if faults := tr.Project.Faults(tr.Input); !cmp.Equal(faults, notices) {
		t.Errorf("told before are %v, then %v", faults, notices)
	}
}
