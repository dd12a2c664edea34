package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"
	"unicode/utf8"

	"ikigai"
	"ikigai/internal/config"
	"ikigai/internal/wholefile"
)

// ruleBook is the person's file of rules that they have saved, by directory. Several
// processes may use one at once.
type ruleBook struct {
	path string // "" where there is no place for one
}

// ruleBook returns the one of the person, beside their decisions about projects.
func (a *app) ruleBook() ruleBook {
	_, data := config.OwnFiles(a.input())
	if data == "" {
		return ruleBook{}
	}
	return ruleBook{filepath.Join(data, "rules.json")}
}

// savedRule is a rule as the file has it.
type savedRule struct {
	Dir  string        `json:"dir"` // in which it holds
	Rule string        `json:"rule"`
	Time ikigai.Micros `json:"time"` // when it was saved
}

// ruleFile is the whole of the file.
type ruleFile struct {
	Version int         `json:"version"`
	Rules   []savedRule `json:"rules"` // in the order in which they were saved
}

const (
	ruleBookVersion = 1
	maxRuleBook     = 16 << 20 // bytes
)

// of returns the rules of a directory. The error is an *ikigai.Error.
func (b ruleBook) of(dir string) ([]savedRule, error) {
	all, err := b.all()
	return slices.DeleteFunc(all, func(s savedRule) bool { return s.Dir != dir }), err
}

// all returns all rules. Who else could have written the file could have had
// anything allowed: it is not read then. The error is an *ikigai.Error.
func (b ruleBook) all() ([]savedRule, error) {
	all, err := b.read()
	if err != nil {
		return nil, usage("The saved rules cannot be read: "+err.Error(), "Repair the file or remove it; until then they allow nothing")
	}
	return all, nil
}

func (b ruleBook) read() ([]savedRule, error) {
	if b.path == "" {
		return nil, nil
	}
	f, err := os.Open(b.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || int(stat.Uid) != os.Geteuid() || info.Mode().Perm()&0o022 != 0 || !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s can be written by others than you", b.path)
	}
	raw, err := io.ReadAll(io.LimitReader(f, maxRuleBook))
	if err != nil {
		return nil, err
	}
	var whole ruleFile
	if err := json.Unmarshal(raw, &whole); err != nil || whole.Version != ruleBookVersion {
		return nil, fmt.Errorf("%s is no file of rules of this version", b.path)
	}
	return whole.Rules, nil
}

// add saves a rule for a directory. The error is an *ikigai.Error.
func (b ruleBook) add(dir string, r rule) error {
	if !utf8.ValidString(dir) {
		return usage("No rule can be saved for this directory, whose name is not in UTF-8", "Give the directory another name")
	}
	return b.change(func(all []savedRule) []savedRule {
		if slices.ContainsFunc(all, func(s savedRule) bool { return s.Dir == dir && s.Rule == r.text }) {
			return all
		}
		return append(all, savedRule{dir, r.text, ikigai.MicrosOf(time.Now())})
	})
}

// remove takes a rule away. The error is an *ikigai.Error.
func (b ruleBook) remove(gone savedRule) error {
	return b.change(func(all []savedRule) []savedRule {
		return slices.DeleteFunc(all, func(s savedRule) bool { return s.Dir == gone.Dir && s.Rule == gone.Rule })
	})
}

// change reads, changes and writes the file while no other process does.
func (b ruleBook) change(how func([]savedRule) []savedRule) error {
	if b.path == "" {
		return usage("There is no home directory to keep rules in", "Set HOME")
	}
	err := os.MkdirAll(filepath.Dir(b.path), 0o700)
	if err == nil {
		err = b.locked(how)
	}
	if err != nil {
		return usage("The rules cannot be saved: "+err.Error(), "Check "+b.path)
	}
	return nil
}

func (b ruleBook) locked(how func([]savedRule) []savedRule) error {
	unlock, err := wholefile.Lock(b.path + ".lock")
	if err != nil {
		return err
	}
	defer unlock()
	all, err := b.read()
	if err != nil {
		return err
	}
	raw, err := json.MarshalIndent(ruleFile{ruleBookVersion, how(all)}, "", "  ")
	if err != nil {
		return err
	}
	return wholefile.Replace(b.path, append(raw, '\n'))
}
