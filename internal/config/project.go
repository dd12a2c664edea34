package config

import (
	"path/filepath"
	"strings"

	"ikigai/internal/safetext"
)

// Project is what a project brings and the person trusts. Exactly these bytes
// are used; no file of the project is read.
type Project struct {
	SettingsPath string // of .ikigai/config.json
	Settings     []byte // nil if there are none

	ServersPath string // of .mcp.json, where other agents have a project's MCP servers
	Servers     []byte // nil if there is none
}

// OwnFiles returns where the settings of the person lie, and the directory of the
// program's data, each "" if there is no place for it. It reads neither.
func OwnFiles(in Input) (settings, dataDir string) {
	if dir := baseDir(in, "XDG_DATA_HOME", ".local/share"); dir != "" {
		dataDir = filepath.Join(dir, "ikigai")
	}
	return userFile(in, lookup(in.Environ, configVariable)), dataDir
}

// Faults returns what is wrong with what a project brings, and passed over: all of
// its settings if anything is wrong there, and the servers that cannot be read.
func (p *Project) Faults(in Input) []Notice {
	in.Project = p
	s := defaults(in.Environ)
	s.UserFile, _ = OwnFiles(in)
	return s.loadProject(in)
}

// loadProject takes over what a trusted project brings, and returns what is wrong
// with it. A server that is there already stays: the person's come first, then
// those of the project's settings.
//
// Settings with a fault are passed over as a whole, as if they were not trusted:
// the person's own are what they rely on elsewhere, and half of a file would be
// what nobody has judged.
func (s *Settings) loadProject(in Input) (notices []Notice) {
	p := in.Project
	if p == nil {
		return nil
	}
	if p.Settings != nil && p.SettingsPath != s.UserFile {
		trial := defaults(in.Environ)
		err := (&file{s: trial, path: p.SettingsPath, home: in.Home, project: true}).parse(p.Settings)
		if err == nil {
			err = (&file{s: s, path: p.SettingsPath, home: in.Home, project: true}).parse(p.Settings)
		}
		if err != nil {
			notices = append(notices, Notice{err.Error() + " Until then none of the project's settings are used."})
		}
	}
	if p.Servers != nil {
		notices = append(notices, s.loadServers(p, in.Home)...)
	}
	return notices
}

// loadServers takes over the servers of .mcp.json. The file is written for other
// agents, too: what is wrong with it is told, and stops nothing.
func (s *Settings) loadServers(p *Project, home string) (notices []Notice) {
	pass := func(err error) error {
		if err != nil {
			notices = append(notices, Notice{err.Error() + " Until then it is passed over."})
		}
		return nil
	}
	f := &file{s: s, path: p.ServersPath, home: home, project: true}
	root, err := f.root(p.Servers)
	if err != nil || root == nil {
		_ = pass(err)
		return notices
	}
	_ = pass(f.members("", *root, func(m member) error {
		if m.name != mcpServersKey {
			return nil
		}
		return pass(f.members(m.key, m.value, func(m member) error { return pass(f.server(m)) }))
	}))
	return notices
}

// keepOut refuses what a project's settings may not hold, although they are
// trusted: keys, since the file is shared, what else would have others choose
// them, and tools that nobody has judged.
func (f *file) keepOut(m member) error {
	if !f.project {
		return nil
	}
	text := literal(m.value)
	if m.key == "database" {
		var d Database
		if v := (&database{&d}); v.set(text) && len(d.Secrets()) > 0 {
			return f.refused(m, "the database with its password")
		}
	}
	_, header, inHeaders := strings.Cut(m.key, ".headers.")
	switch {
	case m.key == "toolboxes":
		return f.fault(m.at, "toolboxes cannot stand in a project's settings", "Put the tools into .ikigai/tools")
	case m.key == "allow" || m.key == "editor":
		return f.fault(m.at, m.key+" cannot stand in a project's settings", "Put it into your own settings")
	case strings.HasPrefix(m.key, mcpServersKey+"."):
		return nil // they have keys of their own, and other agents find them there, too
	case strings.HasPrefix(m.key, "vendors.") && strings.HasSuffix(m.key, ".key_cmd"):
		return f.refused(m, "key_cmd")
	case inHeaders && carriesKey(header):
		return f.refused(m, "the header")
	case safetext.RedactKeys(string(m.value.Pack())) != string(m.value.Pack()):
		return f.refused(m, "what looks like a key")
	}
	return nil
}

func (f *file) refused(m member, what string) error {
	return f.fault(m.at, quoteKey(m.key)+" cannot stand in a project's settings: keys do not belong there",
		"Put "+what+" into your own settings, or the key into the environment")
}

// carriesKey reports whether a header is one that is sent to prove who asks.
func carriesKey(header string) bool {
	switch fold(header) {
	case "authorization", "proxyauthorization", "xapikey", "apikey", "xgoogapikey", "xauthtoken", "cookie":
		return true
	}
	return false
}
