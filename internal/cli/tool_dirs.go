package cli

import (
	"path/filepath"

	"ikigai"
	"ikigai/internal/exttool"
)

// systemTools is the directory of tools for everybody on this machine.
const systemTools = "/usr/local/share/ikigai/tools"

// toolDirs returns the directories of executables that are tools, the last
// first to be heard.
func (a *app) toolDirs() []exttool.Dir {
	dirs := []exttool.Dir{{Path: systemTools, Origin: "system"}}
	for _, path := range a.settings.Toolboxes {
		dirs = append(dirs, exttool.Dir{Path: path, Origin: "toolbox", Toolbox: true})
	}
	if own := a.userTools(); own != "" {
		dirs = append(dirs, exttool.Dir{Path: own, Origin: "user"})
	}
	switch sealed, err := a.sealedTools(); {
	case err != nil:
		a.notice(err.Error())
	case sealed != "":
		dirs = append(dirs, exttool.Dir{Path: sealed, Shown: a.projectTools(), Origin: "project"})
	}
	return dirs
}

// userTools returns the directory of the person's own tools, "" if there is no
// place for it.
func (a *app) userTools() string { return a.userPlace("XDG_CONFIG_HOME", ".config", "tools") }

// projectTools returns the directory of the tools of the project.
func (a *app) projectTools() string { return filepath.Join(a.dir, ".ikigai", "tools") }

// userPlace returns what lies in the program's directory in one of those that
// are the person's: named by a variable, or below their home.
func (a *app) userPlace(variable, home, name string) string {
	dir := a.env(variable)
	if !filepath.IsAbs(dir) {
		if a.env("HOME") == "" {
			return ""
		}
		dir = filepath.Join(a.env("HOME"), home)
	}
	return filepath.Join(dir, "ikigai", name)
}

// externalTools is how external tools are loaded for a session.
func (a *app) externalTools(id ikigai.ID) exttool.Config {
	c := exttool.Config{
		Dirs: a.toolDirs(), Cache: a.userPlace("XDG_CACHE_HOME", ".cache", ""),
		Env: a.childEnv(id), Session: id, MaxOutput: a.settings.MaxOutputSize, Leave: a.leave,
	}
	if id != "" {
		c.SpillDir = a.places().output(id)
	}
	return c
}
