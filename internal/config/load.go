package config

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"ikigai"
)

// Input is all that the settings depend on.
type Input struct {
	Dir     string   // working directory, absolute
	Home    string   // home directory; "" if there is none
	Environ []string // as os.Environ returns it

	// Flags are the settings given on the command line, by name.
	Flags map[string]string
	// FlagNames are the flags as they were typed, such as "--set timeouts.idle",
	// by the name of the setting. One that is missing is --timeouts-idle.
	FlagNames map[string]string

	// Project is what the project brings and the person trusts; nil is nothing.
	Project *Project
}

// Notice is something that a person should know about the settings and that
// stopped nothing.
type Notice struct{ Text string }

// maxFileSize bounds a file of settings, in bytes.
const maxFileSize = 256 << 10

// Load reads the settings of in, layer by layer. Every error is an *ikigai.Error
// of kind usage that says where the fault is. No file is ever written.
func Load(in Input) (*Settings, []Notice, error) {
	s := defaults(in.Environ)
	s.layer++
	if err := s.loadUserFile(in); err != nil {
		return nil, nil, err
	}
	s.layer++
	notices := s.loadProject(in)
	s.layer++
	slips, err := s.loadEnviron(in)
	if err != nil {
		return nil, nil, err
	}
	s.layer++
	if err := s.loadFlags(in); err != nil {
		return nil, nil, err
	}
	if err := s.check(); err != nil {
		return nil, nil, err
	}
	if err := s.placeFiles(in); err != nil {
		return nil, nil, err
	}
	return s, append(notices, slips...), nil
}

// defaults returns the settings of somebody who has set nothing.
func defaults(environ []string) *Settings {
	s := &Settings{
		Vendors: make(map[string]Vendor, len(presets)),
		// Printed settings must not show the environment, which holds keys.
		getenv: func(name string) string { return lookup(environ, name) },
	}
	applyDefaults(table, s)
	for _, p := range presets {
		v := p.vendor
		v.Auth, v.Quirks.MaxOutput = cmp.Or(v.Auth, AuthKey), cmp.Or(v.Quirks.MaxOutput, "max_tokens")
		v.Headers, v.Quirks.Body = maps.Clone(v.Headers), maps.Clone(v.Quirks.Body)
		s.Vendors[p.name] = v
	}
	return s
}

func applyDefaults[T any](fields []field[T], into *T) {
	for _, f := range fields {
		if f.def != "" && !f.of(into).set(f.def) {
			panic("config: the default of " + f.name + " breaks its own rule")
		}
	}
}

// loadUserFile reads the person's file. That it is missing is an error only
// when it was asked for by name.
func (s *Settings) loadUserFile(in Input) error {
	named := lookup(in.Environ, configVariable)
	s.UserFile = userFile(in, named)
	if s.UserFile == "" {
		return nil
	}
	content, err := readFile(s.UserFile)
	switch {
	case err == nil:
		return s.parse(s.UserFile, content, in.Home)
	case errors.Is(err, fs.ErrNotExist) && named == "":
		return nil
	case named != "":
		return unreadable(s.UserFile, err, "Correct the variable "+configVariable+" or unset it")
	}
	return unreadable(s.UserFile, err, "Make it a file that you may read")
}

func userFile(in Input, named string) string {
	if named != "" {
		return absolute(named, in.Dir, in.Home)
	}
	dir := baseDir(in, "XDG_CONFIG_HOME", ".config")
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, "ikigai", "config.json")
}

// loadEnviron takes over the IKIGAI_* variables that name a setting. Others use
// the prefix too, so an unknown name is no fault, but a slip is told of; an
// empty value is no value.
func (s *Settings) loadEnviron(in Input) (slips []Notice, err error) {
	for _, entry := range in.Environ {
		name, text, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, envPrefix) || text == "" {
			continue
		}
		f, known := settingOf(name)
		if !known {
			slips = append(slips, slip(name)...)
			continue
		}
		if err := s.override(f, name, text, in); err != nil {
			return nil, err
		}
	}
	return slips, nil
}

// settingOf returns the setting that the variable name sets.
func settingOf(variable string) (f field[Settings], ok bool) {
	for _, f := range table {
		if variable == envName(f.name) {
			return f, true
		}
	}
	return f, false
}

// slip returns the notice about a variable whose name is almost one of ours.
func slip(variable string) []Notice {
	switch variable {
	case configVariable, "IKIGAI_SESSION", "IKIGAI_TOOL_CALL_ID", "IKIGAI_FIXTURES":
		return nil // these are no settings, and have their use
	}
	known := []string{configVariable}
	for _, f := range table {
		known = append(known, envName(f.name))
	}
	const most = 2 // letters
	var near []string
	for _, k := range known {
		if distance(strings.ToUpper(variable), k) <= most {
			near = append(near, k)
		}
	}
	if near == nil {
		return nil
	}
	return []Notice{{"The variable " + quoteKey(variable) + " sets nothing. Perhaps " + strings.Join(near, " or ") + " is meant."}}
}

func (s *Settings) loadFlags(in Input) error {
	known := 0
	for _, f := range table {
		text, given := in.Flags[f.name]
		if !given {
			continue
		}
		known++
		if err := s.override(f, in.flagName(f.name), text, in); err != nil {
			return err
		}
	}
	if known == len(in.Flags) {
		return nil
	}
	return unknownFlag(in, s.UserFile)
}

// override sets f to text, which comes from a variable or flag named origin.
func (s *Settings) override(f field[Settings], origin, text string, in Input) error {
	v := f.of(s)
	if !v.set(text) {
		return badValue(origin, f.name, shown(text, f.private), v.accepts())
	}
	s.placed(f.name, in.Dir, in.Home)
	s.origin(f.name, origin)
	return nil
}

// placed makes the paths that the setting name holds, if it holds any, absolute.
// Relative ones start at dir.
func (s *Settings) placed(name, dir, home string) {
	switch name {
	case "database":
		s.Database = s.Database.placed(dir, home)
	case "toolboxes":
		for i, path := range s.Toolboxes {
			s.Toolboxes[i] = absolute(path, dir, home)
		}
	}
}

func (s *Settings) placeFiles(in Input) error {
	_, s.DataDir = OwnFiles(in)
	if dir := baseDir(in, "XDG_CONFIG_HOME", ".config"); dir != "" {
		s.KeysFile = filepath.Join(dir, "ikigai", "keys.json")
	}
	switch {
	case s.Database.Path() != "":
	case s.Database.URL() != "" && s.DataDir == "":
		return usage("There is no home directory to keep what the database does not take", "Set HOME")
	case s.Database.URL() == "" && s.DataDir == "":
		return usage("There is no home directory to keep the log in", "Set HOME, or IKIGAI_DATABASE to the path of a file")
	case s.Database.URL() == "":
		s.Database = defaultDatabase(s.DataDir)
	}
	return nil
}

func (s *Settings) origin(key, origin string) {
	if s.origins == nil {
		s.origins, s.layers = make(map[string]string), make(map[string]int)
	}
	s.origins[key], s.layers[key] = origin, s.layer
}

const (
	envPrefix      = "IKIGAI_"
	configVariable = "IKIGAI_CONFIG" // names the person's file
)

// envName returns the name of the variable that sets the setting name.
func envName(name string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(name, ".", "_"))
}

// flagName returns the flag that sets the setting name.
func (in Input) flagName(name string) string {
	if typed := in.FlagNames[name]; typed != "" {
		return typed
	}
	return "--" + strings.NewReplacer("_", "-", ".", "-").Replace(name)
}

// lookup returns the value of the variable name in environ, or "".
func lookup(environ []string, name string) string {
	for _, entry := range environ {
		if len(entry) > len(name) && entry[len(name)] == '=' && entry[:len(name)] == name {
			return entry[len(name)+1:]
		}
	}
	return ""
}

// baseDir returns the directory that variable names, or sub of the home
// directory. The XDG convention has relative values ignored.
func baseDir(in Input, variable, sub string) string {
	if dir := lookup(in.Environ, variable); filepath.IsAbs(dir) {
		return dir
	}
	if in.Home == "" {
		return ""
	}
	return filepath.Join(in.Home, sub)
}

// absolute resolves path, which may begin with ~, against dir.
func absolute(path, dir, home string) string {
	if home != "" && (path == "~" || strings.HasPrefix(path, "~/")) {
		path = home + path[1:]
	}
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// readFile reads a file of settings. The error is one of the file system.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, maxFileSize+1))
	if err == nil && len(content) > maxFileSize {
		err = errTooLarge
	}
	return content, err
}

var errTooLarge = errors.New("it is larger than 256 KiB")

func unreadable(path string, err error, do string) error {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		err = pathErr.Err
	}
	return &ikigai.Error{Kind: ikigai.ErrorUsage, Err: err, Do: do,
		What: "The settings in " + path + " cannot be read: " + err.Error()}
}
